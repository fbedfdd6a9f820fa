import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Asks until there is an answer other than undefined or false; fails when time is over. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}
