import { describeProblems } from '@svc-asr/core';
import { isTemporary } from '@svc-asr/kubernetes';
import type { KubernetesError } from '@svc-asr/kubernetes';
import { ConsoleError } from '../errors.ts';

/** Retry-After in seconds if the Kubernetes API does not specify one. */
const RETRY_AFTER_S = 2;

/**
 * Translates an error of the Kubernetes API into the response of the console.
 *
 * | Kubernetes API                                               | response                |
 * |--------------------------------------------------------------|-------------------------|
 * | unavailable, overloaded, token refused, CRDs not installed   | 503 service_unavailable |
 * | invalid fields (400, 422)                                    | 400 invalid_parameters  |
 * | object too large (413)                                       | 413 request_too_large   |
 * | object was deleted or changed by another writer (404, 409)   | 409 write_conflict      |
 * | forbidden by RBAC, a quota or a policy (403)                 | 403 cluster_refused     |
 * | any other error                                              | 500 internal_error      |
 */
export function explainKubernetesError(error: KubernetesError): ConsoleError {
  const thrown: unknown = error;
  if (isTemporary(thrown) || error.status === 401 || error.reason === 'UnknownType') return unavailable(error);
  switch (error.status) {
    case 400:
    case 422:
      return new ConsoleError('invalid_parameters', { message: `${wrongFields(error)}.`, cause: error });
    case 413:
      return new ConsoleError('request_too_large', { cause: error });
    case 404:
    case 409:
      return new ConsoleError('write_conflict', { cause: error });
    case 403:
      return new ConsoleError('cluster_refused', {
        message: `The cluster rejected the request: ${error.serverMessage}`,
        cause: error,
      });
    default:
      return new ConsoleError('internal_error', { cause: error });
  }
}

/**
 * Builds the error for an unavailable API. A request without a response may have been executed, so the message asks the
 * caller to check before a retry.
 */
function unavailable(error: KubernetesError): ConsoleError {
  const advice =
    error.status === 0
      ? 'The request may have been executed. Check the result, then retry after the time in Retry-After.'
      : 'Retry after the time in Retry-After.';
  const seconds = Math.max(RETRY_AFTER_S, Math.ceil((error.retryAfterMs ?? 0) / 1000));
  return new ConsoleError('service_unavailable', {
    message: `The Kubernetes API is unavailable: ${error.reason}. ${advice}`,
    headers: { 'Retry-After': String(seconds) },
    cause: error,
  });
}

/** Describes the rejected fields without the prefix `spec.`, as the console does for its own checks. */
function wrongFields({ causes, serverMessage }: KubernetesError): string {
  const problems = causes.map(({ field, message }) => ({ field: field.replace(/^spec\.?/, ''), message }));
  return problems.length === 0 ? serverMessage : describeProblems(problems);
}
