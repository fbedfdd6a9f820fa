import { LedgerUnavailable } from '@svc-asr/ledger';
import type { PlacedWorker, PoolState } from '@svc-asr/ledger';
import type { StreamParts, StreamSession } from '../session.ts';

/** Average time until a request that failed is repeated. */
const RETRY_MS = 500;
/** Time between two checks of the workers to avoid. Each check that finds a change repeats the request. */
const AVOID_CHECK_MS = 1000;

/** Why a stream waits for a worker. */
export interface CapacityWait {
  /** The pool as the ledger described it. Undefined if the ledger is unavailable. */
  pool: PoolState | undefined;
  /** Longest time that the stream continues to wait. */
  remainingMs: number;
}

export interface SearchOptions {
  untilMs: number;
  /** Returns the ids of the workers to avoid. */
  avoid: () => readonly string[];
  /** Called repeatedly while no worker has room for the stream. */
  onWait: (wait: CapacityWait) => void;
  isAbandoned: () => boolean;
  /** Worker that serves the stream during the search, because it drains or has too many streams. */
  servedBy?: string;
}

/**
 * Requests a worker until one is assigned. A queued stream repeats the request when Redis notifies this gateway, and
 * when its workers to avoid have changed. Returns undefined after `untilMs`, or once `isAbandoned` returns true.
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
  /** Waits until the request should be repeated. Returns false if the time is up. */
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
        // An unavailable Redis is retried like a missing worker.
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
