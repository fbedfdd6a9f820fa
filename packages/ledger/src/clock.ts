/** Estimate of the time of Redis, used to choose due times. The scripts themselves read the exact time. */
export interface Clock {
  /** Sets the estimate to a time that Redis has just returned. */
  observe: (redisNowMs: number) => void;
  now: () => number;
}

/**
 * Creates a clock that follows the time that Redis returned last. Before the first call of `observe`, it returns the
 * local time. After it, a wrong local clock does not matter.
 */
export function createClock(localNow = monotonicNow): Clock {
  let offsetMs = 0;
  return {
    observe: (redisNowMs) => {
      offsetMs = redisNowMs - localNow();
    },
    now: () => localNow() + offsetMs,
  };
}

/** Returns the local time without steps of the local clock since this process started. */
function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}
