import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import { KubernetesError } from './kubernetes-error.ts';

export interface RetryOptions extends BackoffOptions {
  /** Maximum number of attempts of one request, including the first one. */
  tries: number;
}

/**
 * Statuses of temporary errors of the server, of a proxy in front of it, or of the network (0). A retry may succeed.
 */
const PASSING = new Set([0, 429, 500, 502, 503, 504]);

/** Returns whether the failure is likely to be temporary. */
export function isTemporary(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && PASSING.has(error.status);
}

/**
 * Returns the time to wait before the next attempt of a request that has failed `attempts` times. Undefined if the
 * error is not temporary, if all attempts are used up, or if the server asks for a longer wait than the maximum. Such a
 * long wait would block the caller.
 */
export function retryDelayMs(
  error: unknown,
  attempts: number,
  options: RetryOptions,
  random: number,
): number | undefined {
  if (!isTemporary(error) || attempts >= options.tries) return undefined;
  const askedMs = error.retryAfterMs ?? 0;
  if (askedMs > options.maxMs) return undefined;
  return Math.max(askedMs, backoffMs(attempts, options, random));
}
