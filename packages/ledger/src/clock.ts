/** Estimate of Redis TIME, used to choose due times. The scripts decide with the real one. */
export interface Clock {
  /** Sets the estimate to a time that Redis has just returned. */
  observe: (redisNowMs: number) => void;
  now: () => number;
}

/** Creates a clock that follows the time last returned by Redis, so that a wrong local clock does not matter. */
export function createClock(localNow: () => number = Date.now): Clock {
  let offsetMs = 0;
  return {
    observe: (redisNowMs) => {
      offsetMs = redisNowMs - localNow();
    },
    now: () => localNow() + offsetMs,
  };
}
