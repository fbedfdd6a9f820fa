import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import { KubernetesError } from './kubernetes-error.ts';

export interface RetryOptions extends BackoffOptions {
  /** Maximum attempts of one request, including the first. */
  tries: number;
}

/** Errors of the server, of a proxy in front of it, or of the network. A retry may succeed. */
const PASSING = new Set([0, 429, 500, 502, 503, 504]);

/** Returns whether the failure is likely to be temporary. */
export function isTemporary(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && PASSING.has(error.status);
}

/**
 * Returns the time to wait before the next attempt after `tries` failed ones. Undefined if there is none. If the server
 * asks to wait longer than the maximum, the request fails immediately instead of blocking its caller.
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
