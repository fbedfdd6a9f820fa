import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import { KubernetesError } from './kubernetes-error.ts';

export interface RetryOptions extends BackoffOptions {
  /** Tries of one request, the first included. */
  tries: number;
}

/** Faults of the server, of what stands before it and of the way to it: the same request may do well a moment later. */
const PASSING = new Set([0, 429, 500, 502, 503, 504]);

/** Whether the failure is likely to pass by itself. */
export function isPassing(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && PASSING.has(error.status);
}

/**
 * How long to wait before the next try after `tries` failed ones; undefined: there is none. Whoever is asked to wait
 * longer than the longest wait is told so at once, instead of holding its work for so long.
 */
export function nextTryMs(error: unknown, tries: number, options: RetryOptions, random: number): number | undefined {
  if (!isPassing(error) || tries >= options.tries) return undefined;
  const askedMs = error.retryAfterMs ?? 0;
  if (askedMs > options.maxMs) return undefined;
  return Math.max(askedMs, backoffMs(tries, options, random));
}
