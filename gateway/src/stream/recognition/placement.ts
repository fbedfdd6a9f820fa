import { LedgerUnavailable } from '@svc-asr/ledger';
import type { StreamParts, StreamSession } from '../session.ts';

export interface PlacedWorker {
  id: string;
  address: string;
  revision: string;
}

/** Asks for a worker until there is one; undefined when the wait was too long or `given up`. */
export async function findWorker(
  { ledger, times }: StreamParts,
  { sessionId, tenant, model }: StreamSession,
  options: { untilMs: number; avoid: () => readonly string[]; onWait: () => void; isAbandoned: () => boolean },
): Promise<PlacedWorker | undefined> {
  let lastWaitAtMs = -Infinity;
  while (!options.isAbandoned()) {
    try {
      const placement = await ledger.pools.place(model, { sessionId, tenant, avoid: options.avoid() });
      if (placement.outcome === 'placed') return placement.worker;
    } catch (error) {
      // Redis away: the stream waits for it like for a worker.
      if (!(error instanceof LedgerUnavailable)) throw error;
    }
    const now = performance.now();
    if (now >= options.untilMs) return undefined;
    if (now - lastWaitAtMs >= times.statusMs) {
      lastWaitAtMs = now;
      options.onWait();
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(times.placeMs, options.untilMs - now)));
  }
  return undefined;
}
