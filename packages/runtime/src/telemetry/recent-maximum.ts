/** A maximum that can be reset, such as that of a histogram. */
export interface Peak {
  readonly max: number;
  reset: () => void;
}

export interface RecentMaximum {
  /** Returns the largest value of the current and the last `periods` periods. Reading changes nothing. */
  read: () => number;
  /** Starts the next period. */
  startPeriod: () => void;
}

/** Creates the maximum of a sliding window, for any number of readers with their own intervals. */
export function createRecentMaximum(peak: Peak, periods: number): RecentMaximum {
  let earlier: number[] = [];
  return {
    read: () => Math.max(peak.max, ...earlier),
    startPeriod: () => {
      earlier = [peak.max, ...earlier].slice(0, periods);
      peak.reset();
    },
  };
}
