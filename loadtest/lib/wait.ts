/** What the time is, and timers. */
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
 * Calls back at a time; answers with what calls it off. k6's timers (1.8) take a shot for the next one in line when one
 * is set for at once, so that a timer may fire long before its time: this one looks at the clock and goes on waiting.
 */
export function callAt<Timer>(atMs: number, callback: () => void, clock: Clock<Timer>): () => void {
  const look = () => {
    if (clock.now() < atMs) timer = clock.set(look, atMs - clock.now());
    else callback();
  };
  let timer = clock.set(look, Math.max(0, atMs - clock.now()));
  return () => clock.clear(timer);
}

/** Calls back after a time. */
export function callAfter(ms: number, callback: () => void): () => void {
  return callAt(CLOCK.now() + ms, callback, CLOCK);
}

/** Waits until a time; at least until events that have come were heard. */
export function waitUntil(atMs: number): Promise<void> {
  return new Promise((resolve) => void callAt(atMs, resolve, CLOCK));
}
