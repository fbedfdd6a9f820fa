import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from '@svc-asr/ledger';

export interface PollOptions {
  timeoutMs: number;
  intervalMs: number;
}

/**
 * Calls `check` at least once, and repeats it until it returns true or the time is over. Returns the last result. While
 * Redis is unavailable, the result is false.
 */
export async function pollUntil(
  check: () => Promise<boolean>,
  { timeoutMs, intervalMs }: PollOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await checkIfAvailable(check)) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(intervalMs, leftMs));
  }
}

async function checkIfAvailable(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof LedgerUnavailable) return false;
    throw error;
  }
}
