import { describeProblems } from '@svc-asr/core';
import { isPassing } from '@svc-asr/kubernetes';
import type { KubernetesError } from '@svc-asr/kubernetes';
import { ConsoleError } from '../errors.ts';

/** Seconds after which a request may be repeated that the Kubernetes API did not answer. */
const RETRY_AFTER_S = 2;

/**
 * What the admin API answers where the Kubernetes API refused, or did not answer.
 *
 * | the Kubernetes API                         | answer                  |
 * |--------------------------------------------|-------------------------|
 * | is away, busy, or does not know us yet     | 503 service_unavailable |
 * | found fields to be wrong (422, 400)        | 400 invalid_parameters  |
 * | found the object too large                 | 413 request_too_large   |
 * | has another object, or another version     | 409 write_conflict      |
 * | forbids it: rights, quota, a policy        | 403 cluster_refused     |
 */
export function explainKubernetesError(error: KubernetesError): ConsoleError {
  const thrown: unknown = error;
  if (isPassing(thrown) || error.status === 401 || error.reason === 'UnknownType') return unavailable(error);
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
        message: `The cluster refused it: ${error.serverMessage}`,
        cause: error,
      });
    default:
      return new ConsoleError('internal_error', { cause: error });
  }
}

/** A request that got no answer may have been heard: whoever repeats it must be able to. */
function unavailable(error: KubernetesError): ConsoleError {
  const advice =
    error.status === 0
      ? 'It may have been done all the same: look, then repeat it as Retry-After says.'
      : 'Retry as Retry-After says.';
  const seconds = Math.max(RETRY_AFTER_S, Math.ceil((error.retryAfterMs ?? 0) / 1000));
  return new ConsoleError('service_unavailable', {
    message: `The Kubernetes API, where the resources are, cannot be had: ${error.reason}. ${advice}`,
    headers: { 'Retry-After': String(seconds) },
    cause: error,
  });
}

/** As the console names the fields itself: from the spec on. */
function wrongFields({ causes, serverMessage }: KubernetesError): string {
  const problems = causes.map(({ field, message }) => ({ field: field.replace(/^spec\.?/, ''), message }));
  return problems.length === 0 ? serverMessage : describeProblems(problems);
}
