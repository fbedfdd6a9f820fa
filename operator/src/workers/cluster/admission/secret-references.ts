import type { V1Deployment } from '@kubernetes/client-node';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerTemplate } from '../../template.ts';
import { CREDENTIALS_VOLUME } from '../objects/fetcher.ts';

/** A Secret that a model names. */
export interface SecretReference {
  name: string;
  /**
   * With `artifact`, the Secret is sent only to the host of the artifact. With `env`, the worker can read its value.
   */
  use: 'artifact' | 'env';
  /** Field of the ASRModel that names the Secret, for messages. */
  field: string;
}

/** Returns the Secrets that a template names. */
export function findSecretReferences({ artifact, worker, guests = [] }: WorkerTemplate): SecretReference[] {
  const credentials = [artifact, ...guests.map((guest) => guest.artifact)].flatMap((source) =>
    'url' in source ? (source.secretRef?.name ?? []) : [],
  );
  const variables = (worker.env ?? []).map(({ name, valueFrom }) => ({ name, secret: valueFrom?.secretKeyRef?.name }));
  return listReferences(credentials, variables);
}

/**
 * Returns the Secrets that the model of a Deployment named when the Deployment was created. They are read from the pod
 * template of the Deployment.
 */
export function findDeployedSecrets(deployment: KubeObject | undefined): SecretReference[] {
  const { spec } = (deployment ?? {}) as Pick<V1Deployment, 'spec'>;
  const { containers = [], initContainers = [], volumes = [] } = spec?.template.spec ?? {};
  const credentials = volumes
    .filter(({ name }) => name.startsWith(CREDENTIALS_VOLUME))
    .flatMap(({ secret }) => secret?.secretName ?? []);
  const variables = [...containers, ...initContainers]
    .flatMap(({ env = [] }) => env)
    .map(({ name, valueFrom }) => ({ name, secret: valueFrom?.secretKeyRef?.name }));
  return listReferences(credentials, variables);
}

/** Reports whether a template or one of the Deployments names a Secret. */
export function namesSecret(
  name: string,
  template: WorkerTemplate | undefined,
  deployments: readonly KubeObject[],
): boolean {
  const references = template === undefined ? [] : findSecretReferences(template);
  return [...references, ...deployments.flatMap(findDeployedSecrets)].some((reference) => reference.name === name);
}

function listReferences(
  credentials: readonly string[],
  variables: readonly { name: string; secret: string | undefined }[],
): SecretReference[] {
  const found = credentials.map((name): SecretReference => {
    return { name, use: 'artifact', field: 'spec.artifact.secretRef' };
  });
  for (const { name, secret } of variables) {
    if (secret !== undefined) found.push({ name: secret, use: 'env', field: `spec.worker.env ${name}` });
  }
  return found;
}
