import type { Clock } from '../../queue/clock.ts';

/** Detects that nothing was received for a while. */
export interface Watchdog {
  /** Call when something was received. */
  noteActivity: () => void;
  stop: () => void;
}

/**
 * Creates a watchdog. It calls `onTimeout` if nothing was received for `idleTimeoutMs`. It also calls `onTimeout` after
 * `maxDurationMs`, even if data was received.
 */
export function createWatchdog(
  clock: Clock,
  { idleTimeoutMs, maxDurationMs }: { idleTimeoutMs: number; maxDurationMs: number },
  onTimeout: (reason: string) => void,
): Watchdog {
  let activeAtMs = clock.nowMs();
  // One timer that fires occasionally costs less than resetting a timer for every byte.
  const check = () => {
    const leftMs = activeAtMs + idleTimeoutMs - clock.nowMs();
    if (leftMs > 0) cancelCheck = clock.after(leftMs, check);
    else onTimeout(`nothing was received for ${idleTimeoutMs} ms`);
  };
  let cancelCheck = clock.after(idleTimeoutMs, check);
  const cancelMaximum = clock.after(maxDurationMs, () =>
    onTimeout(`the server did not end it within ${maxDurationMs} ms`),
  );
  return {
    noteActivity: () => {
      activeAtMs = clock.nowMs();
    },
    stop: () => {
      cancelCheck();
      cancelMaximum();
    },
  };
}
