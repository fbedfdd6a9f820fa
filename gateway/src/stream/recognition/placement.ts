import { LedgerUnavailable } from '@svc-asr/ledger';
import type { PlacedWorker, PoolState } from '@svc-asr/ledger';
import type { StreamParts, StreamSession } from '../session.ts';

/** Average time after which a request for a worker is repeated if Redis did not answer it. */
const RETRY_MS = 500;
/**
 * Interval at which the list of workers to avoid is checked. If the list has changed, the request for a worker is
 * repeated.
 */
const AVOID_CHECK_MS = 1000;

/** State of a stream that waits for a worker. */
export interface CapacityWait {
  /** State of the pool according to the ledger. Undefined if the ledger is unavailable, or has not reported it yet. */
  pool: PoolState | undefined;
  /** Maximum time for which the stream continues to wait. */
  remainingMs: number;
}

export interface SearchOptions {
  untilMs: number;
  /** Returns the ids of the workers to avoid. */
  avoid: () => readonly string[];
  /** Called repeatedly while the stream waits for a worker. */
  onWait: (wait: CapacityWait) => void;
  isAbandoned: () => boolean;
  /**
   * Worker that serves the stream during the search. The stream must leave this worker, because it drains or is
   * overloaded.
   */
  servedBy?: string;
}

/**
 * Requests a worker until one is assigned. For a queued stream, the request is repeated when Redis notifies this
 * gateway, and when the list of workers to avoid has changed. Returns undefined after `untilMs`, or once `isAbandoned`
 * returns true.
 */
export async function findWorker(
  parts: StreamParts,
  session: StreamSession,
  options: SearchOptions,
): Promise<PlacedWorker | undefined> {
  const { ledger, times, waiters } = parts;
  const { sessionId, tenant, model, priority } = session;
  const { servedBy, untilMs, isAbandoned } = options;
  const waiter = waiters.join(model, sessionId);
  let lastWaitAtMs = -Infinity;
  const report = (pool: CapacityWait['pool'], now: number) => {
    if (now - lastWaitAtMs < times.statusMs) return;
    lastWaitAtMs = now;
    options.onWait({ pool, remainingMs: untilMs - now });
  };
  /** Waits until the request should be repeated, the search is abandoned or `untilMs` has passed. */
  const pause = async (avoid: readonly string[]) => {
    const stepMs = Math.min(times.statusMs, avoid.length === 0 ? Infinity : AVOID_CHECK_MS);
    while (!(await waiter.wait(Math.min(stepMs, untilMs - performance.now())))) {
      const now = performance.now();
      if (isAbandoned() || now >= untilMs || !isSame(avoid, options.avoid())) return;
      report(waiters.poolOf(model), now);
    }
  };
  try {
    while (!isAbandoned()) {
      const avoid = options.avoid();
      let pool: CapacityWait['pool'];
      try {
        const request = {
          sessionId,
          tenant,
          priority,
          avoid,
          gateway: waiters.gateway,
          ...(servedBy !== undefined && { servedBy }),
        };
        const placement = await ledger.pools.place(model, request);
        if (placement.outcome === 'placed') return placement.worker;
        pool = placement;
      } catch (error) {
        // If Redis is unavailable, the request is repeated, as if there were no free worker.
        if (!(error instanceof LedgerUnavailable)) throw error;
      }
      const now = performance.now();
      if (now >= untilMs) return undefined;
      report(pool, now);
      if (pool !== undefined) await pause(avoid);
      else await waiter.wait(Math.min(RETRY_MS * (0.5 + Math.random()), untilMs - now));
    }
    return undefined;
  } finally {
    waiter.leave();
  }
}

function isSame(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((id, at) => id === after[at]);
}
