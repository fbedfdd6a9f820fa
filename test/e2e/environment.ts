/** Names of variables that `npm run e2e` always sets and that tests read. */
export type Setting =
  | 'E2E_KUBECONFIG'
  /** Folder for caches of kubectl and helm. */
  | 'E2E_FOLDER'
  /** Registry of the images, or `localhost` for images that were loaded into the nodes. */
  | 'E2E_REGISTRY'
  /** Tag of the images of this commit. */
  | 'E2E_TAG'
  /** Loopback port of the public API. */
  | 'E2E_PORT'
  /** Loopback port of the admin API. */
  | 'E2E_ADMIN_PORT'
  /** Loopback port of the admin API of a version that serves it over plain HTTP. */
  | 'E2E_PLAIN_ADMIN_PORT'
  /** Name of the node that the pod of access.ts runs on. */
  | 'E2E_ACCESS_NODE'
  /** Name of the node that is drained. */
  | 'E2E_DRAIN_NODE';

/** Returns a variable that `npm run e2e` sets. */
export function readSetting(name: Setting): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run these tests with \`npm run e2e\``);
  return value;
}

/** Returns the reference with which the cluster finds an image of this commit. */
export function imageReference(name: string): string {
  return `${readSetting('E2E_REGISTRY')}/${name}:${readSetting('E2E_TAG')}`;
}
