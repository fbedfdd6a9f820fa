import { KubernetesError } from '@svc-asr/kubernetes';

/**
 * Reports whether the API server rejected a request for a lasting reason, such as invalid content or missing rights.
 * Retries fail until the reason is removed.
 */
export function isRefusal(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && [400, 403, 404, 405, 413, 415, 422].includes(error.status);
}
