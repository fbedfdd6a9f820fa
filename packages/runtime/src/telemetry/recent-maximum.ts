/** A largest value so far that can be begun anew, such as that of a histogram. */
export interface Peak {
  readonly max: number;
  reset: () => void;
}

export interface RecentMaximum {
  /** The largest value of the last `parts` parts of time and the one that runs; reading changes nothing. */
  read: () => number;
  /** Begins the next part of time. */
  turn: () => void;
}

/** Keeps the largest value of a sliding window, for as many readers as there are, each at its own pace. */
export function createRecentMaximum(peak: Peak, parts: number): RecentMaximum {
  let earlier: number[] = [];
  return {
    read: () => Math.max(peak.max, ...earlier),
    turn: () => {
      earlier = [peak.max, ...earlier].slice(0, parts);
      peak.reset();
    },
  };
}
