import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
/** To ask may cost a process, and takes time from what is waited for: who has waited for long asks less often. */
const LONGEST_POLL_MS = 250;
const SHARE_OF_WAITED = 0.05;

/** Asks until there is an answer other than undefined or false; fails when time is over. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(Math.min(LONGEST_POLL_MS, Math.max(POLL_MS, waitedMs * SHARE_OF_WAITED)));
  }
}
