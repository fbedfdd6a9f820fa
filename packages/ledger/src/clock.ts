/** An estimate of Redis TIME, for choosing due times; it never decides whether something is over. */
export interface Clock {
  /** Takes note of a time that Redis just told. */
  observe: (redisNowMs: number) => void;
  now: () => number;
}

/** A clock that follows Redis by the newest time seen, so that a wrong local clock does no harm. */
export function createClock(localNow: () => number = Date.now): Clock {
  let offsetMs = 0;
  return {
    observe: (redisNowMs) => {
      offsetMs = redisNowMs - localNow();
    },
    now: () => localNow() + offsetMs,
  };
}
