import { KubernetesError } from '@svc-asr/kubernetes';

/** Reports whether the API server rejected a request permanently. Retrying the same request does not help. */
export function isRefusal(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && [400, 403, 404, 405, 413, 415, 422].includes(error.status);
}
