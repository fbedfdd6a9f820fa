import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
/**
 * Limits of the pause between two checks. The pause is a share of the time waited so far, but at most LONGEST_POLL_MS.
 * It grows, because a check may start a process, and frequent checks would delay the awaited result.
 */
const LONGEST_POLL_MS = 250;
const SHARE_OF_WAITED = 0.05;

/**
 * Calls `ask` until it returns a value other than undefined or false, and returns that value. Throws after the timeout.
 */
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
    if (waitedMs > withinMs) throw new Error(`timed out after ${withinMs} ms waiting for: ${what}`);
    await sleep(Math.min(LONGEST_POLL_MS, Math.max(POLL_MS, waitedMs * SHARE_OF_WAITED)));
  }
}
