/** Time and timers. */
export interface Clock<Timer> {
  readonly now: () => number;
  readonly set: (callback: () => void, ms: number) => Timer;
  readonly clear: (timer: Timer) => void;
}

const CLOCK: Clock<ReturnType<typeof setTimeout>> = {
  now: () => Date.now(),
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer),
};

/**
 * Calls `callback` at the given time. Returns a function that cancels the call. In k6 1.8, setting a timer with no
 * delay can fire another pending timer early. Therefore the timer checks the clock and waits for the remaining time.
 */
export function callAt<Timer>(atMs: number, callback: () => void, clock: Clock<Timer>): () => void {
  const fire = () => {
    if (clock.now() < atMs) timer = clock.set(fire, atMs - clock.now());
    else callback();
  };
  let timer = clock.set(fire, Math.max(0, atMs - clock.now()));
  return () => clock.clear(timer);
}

/** Calls `callback` after the given time. */
export function callAfter(ms: number, callback: () => void): () => void {
  return callAt(CLOCK.now() + ms, callback, CLOCK);
}

/** Waits until the given time. Always lets k6 process pending events first, even if the time has passed. */
export function waitUntil(atMs: number): Promise<void> {
  return new Promise((resolve) => void callAt(atMs, resolve, CLOCK));
}
