import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';

const PAGE_SIZE = 500;

interface ManagedFields {
  manager: string;
}

/** Versions of objects by kind and name, as `versionOf` computes them. */
export type Versions = ReadonlyMap<string, string>;

/** Reads every object of these types and returns its version as `versionOf` computes it. */
export async function readVersions(api: KubeApi, types: readonly ResourceType[], manager: string): Promise<Versions> {
  const versions = new Map<string, string>();
  for (const type of types) {
    let next: string | undefined;
    do {
      const { items, metadata } = await api.list(type, {
        limit: PAGE_SIZE,
        ...(next !== undefined && { continue: next }),
      });
      for (const object of items) versions.set(`${type.kind}/${object.metadata.name}`, versionOf(object, manager));
      next = metadata.continue === '' ? undefined : metadata.continue;
    } while (next !== undefined);
  }
  return versions;
}

/**
 * Returns a version string. It changes only when `manager` writes to the object, or when the object is recreated. Other
 * writes do not change the version, for example status updates of a Deployment by the kube-controller-manager. Two
 * writes within the same second can result in the same version, because the API server records the time of a write in
 * whole seconds.
 */
export function versionOf({ metadata }: KubeObject, manager: string): string {
  const { managedFields = [] } = metadata as { managedFields?: readonly ManagedFields[] };
  return JSON.stringify([metadata.uid, managedFields.filter((entry) => entry.manager === manager)]);
}

/** Returns the objects that were created, deleted or written to between two readings. */
export function findChanged(before: Versions, after: Versions): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
