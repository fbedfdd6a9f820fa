import type { Clock } from '../../queue/clock.ts';

/** Notices that nothing came for a while. */
export interface Watchdog {
  /** Something came. */
  heard: () => void;
  stop: () => void;
}

/** Calls `onQuiet` once when nothing came for `quietMs`, or when `lastMs` are over, whatever came. */
export function createWatchdog(
  clock: Clock,
  { quietMs, lastMs }: { quietMs: number; lastMs: number },
  onQuiet: (reason: string) => void,
): Watchdog {
  let heardMs = clock.nowMs();
  // One timer that looks now and then costs less than one that is set anew by every byte.
  const look = () => {
    const leftMs = heardMs + quietMs - clock.nowMs();
    if (leftMs > 0) cancelLook = clock.after(leftMs, look);
    else onQuiet(`nothing came for ${quietMs} ms`);
  };
  let cancelLook = clock.after(quietMs, look);
  const cancelLast = clock.after(lastMs, () => onQuiet(`the server did not end it within ${lastMs} ms`));
  return {
    heard: () => {
      heardMs = clock.nowMs();
    },
    stop: () => {
      cancelLook();
      cancelLast();
    },
  };
}
