/** Estimate of the time of Redis, used to choose due times. The scripts themselves read the exact time. */
export interface Clock {
  /** Sets the estimate to a time that Redis has just returned. */
  observe: (redisNowMs: number) => void;
  now: () => number;
}

/**
 * Creates a clock that follows the time that Redis returned last. Before the first call of `observe`, it returns the
 * local time. After that call, it does not matter if the local clock is wrong.
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

/** Returns the local time. Steps of the local clock after the start of this process have no effect on it. */
function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}
