import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls all start functions, one for each namespace. The first one starts the namespace of the installation. Waits for
 * the first without limit, and for the others at most `timeoutMs`. A namespace that was deleted, or whose Role is
 * missing, must not block the models of the other namespaces. Its start continues in the background.
 */
export async function startAll(starts: readonly (() => Promise<void>)[], timeoutMs: number): Promise<void> {
  const [first, ...others] = starts.map((start) => start());
  await first;
  if (others.length === 0) return;
  const ended = new AbortController();
  const limit = sleep(timeoutMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
  await Promise.race([Promise.all(others), limit]);
  ended.abort();
}
