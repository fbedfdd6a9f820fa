/** A maximum that can be reset, such as the maximum of a histogram. */
export interface Peak {
  readonly max: number;
  reset: () => void;
}

export interface RecentMaximum {
  /** Returns the largest value of the current and the previous `periods` periods. It does not reset anything. */
  read: () => number;
  /** Starts the next period. */
  startPeriod: () => void;
}

/** Creates the maximum of a sliding window. Any number of readers can read it at different intervals. */
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
