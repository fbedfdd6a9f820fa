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
 * Calls `callback` at the given time. Returns a function that cancels the call. In k6 1.8, setting a timer without a
 * delay can make another pending timer fire early. The timer therefore checks the clock and waits for the remaining
 * time.
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

/** Resolves at the given time. Lets k6 process pending events first, even if the time has already passed. */
export function waitUntil(atMs: number): Promise<void> {
  return new Promise((resolve) => void callAt(atMs, resolve, CLOCK));
}
