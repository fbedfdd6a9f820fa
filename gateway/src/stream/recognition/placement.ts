import { LedgerUnavailable } from '@svc-asr/ledger';
import type { PlacedWorker, PoolGrowthState } from '@svc-asr/ledger';
import type { StreamParts, StreamSession } from '../session.ts';

/** Why a stream waits for a worker. */
export interface CapacityWait {
  /** The pool as the ledger described it. Undefined if the ledger is unavailable. */
  pool: { slots: number; growth: PoolGrowthState | '' } | undefined;
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
  /** Draining worker that serves the stream during the search. */
  servedBy?: string;
  /** Returns the time between two requests. The default is that of a stream without a worker. */
  intervalMs?: () => number;
}

/**
 * Requests a worker repeatedly until one is assigned. Returns undefined after `untilMs`, or once `isAbandoned` returns
 * true.
 */
export async function findWorker(
  { ledger, times }: StreamParts,
  { sessionId, tenant, model }: StreamSession,
  options: SearchOptions,
): Promise<PlacedWorker | undefined> {
  const { servedBy, intervalMs = () => times.placeMs } = options;
  let lastWaitAtMs = -Infinity;
  while (!options.isAbandoned()) {
    let pool: CapacityWait['pool'];
    try {
      const placement = await ledger.pools.place(model, {
        sessionId,
        tenant,
        avoid: options.avoid(),
        ...(servedBy !== undefined && { servedBy }),
      });
      if (placement.outcome === 'placed') return placement.worker;
      pool = placement;
    } catch (error) {
      // An unavailable Redis is retried like a missing worker.
      if (!(error instanceof LedgerUnavailable)) throw error;
    }
    const now = performance.now();
    if (now >= options.untilMs) return undefined;
    if (now - lastWaitAtMs >= times.statusMs) {
      lastWaitAtMs = now;
      options.onWait({ pool, remainingMs: options.untilMs - now });
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(intervalMs(), options.untilMs - now)));
  }
  return undefined;
}
