/** Time and timers, so that tests can hold them in their hand. */
export interface Clock {
  /** Milliseconds; only differences mean something. */
  nowMs: () => number;
  /** Calls `then` once after the delay; the returned function cancels it. */
  after: (delayMs: number, then: () => void) => () => void;
}

/** The machine's clock: monotonic, so that a step of the wall clock delays no retry. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs);
    return () => clearTimeout(timer);
  },
};
