import { setTimeout as sleep } from 'node:timers/promises';
import { request } from './request.ts';

const POLL_MS = 100;

/** Returns undefined if a service is ready, and otherwise what it reports as missing. */
export async function checkReady(adminUrl: string): Promise<string | undefined> {
  try {
    const { status, body } = await request(`${adminUrl}/readyz`, { timeoutMs: 2000 });
    return status === 200 ? undefined : body.trim();
  } catch {
    return 'it does not answer yet';
  }
}

/** Waits until a check returns undefined. On timeout, rejects with the last result of the check. */
export async function waitUntil(
  name: string,
  check: () => Promise<string | undefined> | string | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const missing = await check();
    if (missing === undefined) return;
    if (performance.now() > deadline) {
      throw new Error(`timed out after ${Math.round(timeoutMs / 1000)} s while waiting for ${name}: ${missing}`);
    }
    await sleep(POLL_MS);
  }
}
