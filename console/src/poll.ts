import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from '@svc-asr/ledger';

export interface Patience {
  timeoutMs: number;
  intervalMs: number;
}

/**
 * Asks until the answer is yes or the time is over, at least once; true when it was yes. While Redis is away the
 * answer is no.
 */
export async function pollUntil(ask: () => Promise<boolean>, { timeoutMs, intervalMs }: Patience): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await yes(ask)) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(intervalMs, leftMs));
  }
}

async function yes(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LedgerUnavailable) return false;
    throw error;
  }
}
