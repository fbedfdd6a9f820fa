import { KubernetesError } from '@svc-asr/kubernetes';

/** Whether the API server said no for good, not just for now. */
export function isRefusal(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && [400, 403, 404, 405, 413, 415, 422].includes(error.status);
}
