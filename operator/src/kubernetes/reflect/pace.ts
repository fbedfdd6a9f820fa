import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import { KubernetesError } from '@svc-asr/kubernetes';

/** Result of a watch, and of the list before it if one was due. */
export interface Turn {
  /** Undefined if the server ended the watch without an error. */
  error?: unknown;
  /** Duration of the watch. 0 if it did not start. */
  watchedMs: number;
  /** Number of events, including bookmarks. */
  events: number;
}

export interface PaceOptions {
  backoff: BackoffOptions;
  /** Minimum time between the starts of two watches. A shorter watch without events counts as a failure. */
  shortestWatchMs: number;
}

export interface Pace {
  /** Consecutive failures. */
  failures: number;
  waitMs: number;
}

/**
 * Decides how long to wait before the next list or watch. It prevents hot loops and does not delay a healthy watch.
 *
 * | the watch | wait if it ended without an error | wait if it ended with an error |
 * |-----------|-----------------------------------|--------------------------------|
 * | lasted `shortestWatchMs`, or received events | none | the first backoff |
 * | was shorter and received nothing | the next backoff | the next backoff |
 *
 * The wait is longer if Retry-After requires it, or if two watches would otherwise start within `shortestWatchMs`.
 */
export function decidePace(turn: Turn, failures: number, options: PaceOptions, random: number): Pace {
  const { error, watchedMs, events } = turn;
  const didWell = watchedMs >= options.shortestWatchMs || events > 0;
  const remainingMs = watchedMs > 0 || events > 0 ? Math.max(0, options.shortestWatchMs - watchedMs) : 0;
  if (error === undefined && didWell) return { failures: 0, waitMs: remainingMs };
  const counted = didWell ? 1 : failures + 1;
  const askedMs = error instanceof KubernetesError ? (error.retryAfterMs ?? 0) : 0;
  return { failures: counted, waitMs: Math.max(askedMs, remainingMs, backoffMs(counted, options.backoff, random)) };
}

/**
 * Number of consecutive failures after which everything is listed again. The watches may fail because etcd was restored
 * from a backup that does not contain the resource version from which they start.
 */
const DOUBTFUL_FAILURES = 3;

/** Returns why everything must be listed again. Undefined if the watch can continue from its last version. */
export function whyRelist(error: unknown, failures: number): 'expired' | 'failures' | undefined {
  if (!(error instanceof KubernetesError) || error.status === 0) return undefined;
  if (error.status === 410) return 'expired';
  return failures % DOUBTFUL_FAILURES === 0 ? 'failures' : undefined;
}
