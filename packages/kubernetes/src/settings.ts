import { integer, text } from '@svc-asr/runtime';
import type { ValuesOf } from '@svc-asr/runtime';

/** Settings of every service that uses the Kubernetes API. */
export const KUBERNETES_SETTINGS = {
  KUBERNETES: text(
    'Source of the resources: "in-cluster" for the cluster of this pod, the path of a kubeconfig, or empty for files.',
    '',
  ),
  NAMESPACE: text(
    'Namespace of the installation and its resources. Only ASRModels can be in further namespaces. Defaults to the namespace of the pod or the kubeconfig.',
    '',
  ),
  KUBERNETES_TIMEOUT_MS: integer(
    'Timeout of one attempt of a Kubernetes API request. After this time from the start of the first attempt, no further attempt starts.',
    30_000,
    100,
    600_000,
  ),
  KUBERNETES_MAX_ATTEMPTS: integer(
    'Maximum attempts of a request if the Kubernetes API returns 429 or 5xx or does not respond.',
    4,
    1,
    20,
  ),
  KUBERNETES_RETRY_BASE_MS: integer(
    'Delay after the first failure of a Kubernetes API request. It doubles with each further failure.',
    200,
    1,
    60_000,
  ),
  KUBERNETES_RETRY_MAX_MS: integer(
    'Maximum delay between two attempts of a Kubernetes API request.',
    10_000,
    1,
    600_000,
  ),
  KUBERNETES_CONNECTIONS: integer('Maximum connections to the Kubernetes API, in addition to watches.', 32, 1, 1000),
  LIST_PAGE_SIZE: integer('Objects per page of a list.', 500, 1, 10_000),
} as const;

export type KubernetesSettings = ValuesOf<typeof KUBERNETES_SETTINGS>;

/** Value of the setting KUBERNETES for a service that runs in a pod. */
export const IN_CLUSTER = 'in-cluster';
