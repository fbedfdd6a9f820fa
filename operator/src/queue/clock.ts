/** Time and timers. Tests replace them with a fake clock. */
export interface Clock {
  /** Milliseconds of a monotonic clock. Only differences are meaningful. */
  nowMs: () => number;
  /** Calls `then` once after the delay. The returned function cancels it. */
  after: (delayMs: number, then: () => void) => () => void;
}

/** Monotonic system clock. Changes of the wall clock therefore do not delay retries. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs);
    return () => clearTimeout(timer);
  },
};
