import { readFileSync } from 'node:fs';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import type { ValuesOf } from '@svc-asr/runtime';
import type { StartFailure } from '../runtime.ts';
import type { Installation } from './installation.ts';
import type { SecretSource } from './secret/model-secret.ts';
import type { CLUSTER_SETTINGS } from './settings.ts';

type Settings = ValuesOf<typeof CLUSTER_SETTINGS>;

/** Returns the settings of the installation for workers in another namespace. */
export function installationWithin(installation: Installation, platformNamespace: string): Installation {
  return {
    ...installation,
    platformNamespace,
    // No model may use the Secrets and volumes in these two lists. The pull Secrets also exist in the namespace of the
    // workers. Other Secrets and volumes of the installation need no entry, because pods cannot mount them from another
    // namespace.
    ownSecrets: installation.imagePullSecrets,
    ownClaims: [],
  };
}

/**
 * Creates the source of the values that workers in another namespace need from Secrets of the installation. These
 * values include neither the private key of the CA nor the private key that signs tickets. The files are read each
 * time, because they change when keys are rotated. Throws if a setting is missing.
 */
export function createCopySource(settings: Settings): SecretSource {
  const isShared = settings.WORKER_REDIS_USERS === 'shared';
  const files = {
    'keys.pem': requireFile(settings, 'WORKER_TICKET_PUBLIC_KEYS_FILE'),
    ...(isShared && { url: requireFile(settings, 'WORKER_REDIS_URL_FILE') }),
    ...(settings.WORKER_CA_SECRET !== '' && { 'ca.crt': requireFile(settings, 'WORKER_CA_FILE') }),
  };
  return () => Object.fromEntries(Object.entries(files).map(([key, path]) => [key, readFileSync(path, 'utf8')]));
}

function requireFile(
  settings: Settings,
  name: 'WORKER_TICKET_PUBLIC_KEYS_FILE' | 'WORKER_REDIS_URL_FILE' | 'WORKER_CA_FILE',
): string {
  const path = settings[name];
  if (path === '') throw new Error(`MODEL_NAMESPACES is set, but ${name} is not: set it to the path of the file`);
  return path;
}

/** Returns why no worker can be started in a namespace whose objects have not been listed. */
export function describeUnavailable(namespace: string): StartFailure {
  const message =
    `the operator cannot list the objects of namespace "${namespace}": check that the namespace and the operator's ` +
    'RoleBinding in it exist';
  return { reason: 'NamespaceUnavailable', message };
}

/** Reports whether a namespace does not exist, or is being deleted. */
export async function isNamespaceDeleted(api: Pick<KubeApi, 'namespace' | 'get'>): Promise<boolean> {
  const found = await api.get(TYPES.Namespace, api.namespace);
  return found === undefined || found.metadata.deletionTimestamp !== undefined;
}
