const SHORTEST_POLL_MS = 10;
/**
 * The pause between two checks grows with the time waited. A check may start a process, and frequent checks would slow
 * down the work that the test waits for.
 */
const LONGEST_POLL_MS = 250;
const SHARE_OF_WAITED = 0.05;

/** Runs `check` until it no longer throws, and throws its last error when the time is up. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 60_000): Promise<T> {
  const startedAtMs = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waitedMs = performance.now() - startedAtMs;
      if (waitedMs > timeoutMs) throw error;
      const pollMs = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, waitedMs * SHARE_OF_WAITED));
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
}
