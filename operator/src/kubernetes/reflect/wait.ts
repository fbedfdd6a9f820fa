import type { Clock } from '../../queue/clock.ts';

/** Resolves when the time is over, or at once when the signal aborts. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      cancel();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const cancel = clock.after(ms, over);
    signal.addEventListener('abort', over, { once: true });
  });
}
