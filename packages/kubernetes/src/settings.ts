import { integer, text } from '@svc-asr/runtime';
import type { ValuesOf } from '@svc-asr/runtime';

/** Settings of every service that speaks to the Kubernetes API. */
export const KUBERNETES_SETTINGS = {
  KUBERNETES: text(
    'Where resources live: "in-cluster" (the cluster that this is a pod of), the path of a kubeconfig, or nothing: files.',
    '',
  ),
  NAMESPACE: text(
    'Namespace of the installation, with all its resources. Empty: that of the pod, or of the kubeconfig.',
    '',
  ),
  KUBERNETES_TIMEOUT_MS: integer(
    'How long one try of a request to the Kubernetes API may take; no further one begins after it.',
    30_000,
    100,
    600_000,
  ),
  KUBERNETES_MAX_ATTEMPTS: integer(
    'Tries of a request when the Kubernetes API answers 429 or 5xx or not at all; then it has failed for now.',
    4,
    1,
    20,
  ),
  KUBERNETES_RETRY_BASE_MS: integer('Wait after a first failure of the Kubernetes API; it doubles.', 200, 1, 60_000),
  KUBERNETES_RETRY_MAX_MS: integer('Longest wait between two tries of the Kubernetes API.', 10_000, 1, 600_000),
  KUBERNETES_CONNECTIONS: integer('Connections to the Kubernetes API, watches not counted.', 32, 1, 1000),
  LIST_PAGE_SIZE: integer('Objects in one page of a list.', 500, 1, 10_000),
} as const;

export type KubernetesSettings = ValuesOf<typeof KUBERNETES_SETTINGS>;

/** The value of KUBERNETES for a pod of the cluster. */
export const IN_CLUSTER = 'in-cluster';
