import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import { KubernetesError } from '@svc-asr/kubernetes';

/** How a list, and the watch that followed, ended. */
export interface Turn {
  /** Undefined: the server ended the watch as it was asked to. */
  error?: unknown;
  /** How long the watch lasted; 0: it did not come to one. */
  watchedMs: number;
  /** What came of it, bookmarks included. */
  events: number;
}

export interface PaceOptions {
  backoff: BackoffOptions;
  /** A watch that ends sooner and brought nothing is a failure; no two begin closer to each other. */
  shortestWatchMs: number;
}

export interface Pace {
  /** In a row, without anything that went well between them. */
  failures: number;
  waitMs: number;
}

/**
 * How long to wait before the next turn: nobody may be asked in a hot loop, and nobody who is well has to wait.
 *
 * | the watch                    | ended as asked                         | ended with an error         |
 * |------------------------------|----------------------------------------|-----------------------------|
 * | lasted, or brought something | at once, a shortest watch after it began | the first backoff         |
 * | was short and brought nothing | the next backoff                       | the next backoff           |
 */
export function decidePace(turn: Turn, failures: number, options: PaceOptions, random: number): Pace {
  const { error, watchedMs, events } = turn;
  const didWell = watchedMs >= options.shortestWatchMs || events > 0;
  const restMs = watchedMs > 0 || events > 0 ? Math.max(0, options.shortestWatchMs - watchedMs) : 0;
  if (error === undefined && didWell) return { failures: 0, waitMs: restMs };
  const counted = didWell ? 1 : failures + 1;
  const askedMs = error instanceof KubernetesError ? (error.retryAfterMs ?? 0) : 0;
  return { failures: counted, waitMs: Math.max(askedMs, restMs, backoffMs(counted, options.backoff, random)) };
}

/** Every so many failures in a row, what the watch begins from is doubted too: a restored etcd may never have had it. */
const DOUBTFUL_FAILURES = 3;

/** Why everything has to be listed anew; undefined: the watch can go on from where it was. */
export function whyRelist(error: unknown, failures: number): 'expired' | 'failures' | undefined {
  if (!(error instanceof KubernetesError) || error.status === 0) return undefined;
  if (error.status === 410) return 'expired';
  return failures % DOUBTFUL_FAILURES === 0 ? 'failures' : undefined;
}
