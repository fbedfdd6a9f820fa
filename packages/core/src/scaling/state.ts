/** State of the autoscaler of a pool between two decisions. */
export interface ScalingState {
  /** Number of workers that the last decision wanted. If `unit` is set, it is a number of slots. */
  readonly desired: number;
  /** `slots` for a model with tiers, whose state counts slots. Absent if the state counts workers. */
  readonly unit?: 'slots';
  readonly decidedAtMs: number;
  /** Expected slots of one worker. Undefined if not known yet. */
  readonly slotsPerWorker: number | undefined;
  /**
   * Last time at which there was demand, or at which demand was assumed because the load was unknown. Undefined if
   * there was no such time.
   */
  readonly lastDemandMs: number | undefined;
  /** Time since which sessions wait although slots are free. Undefined if no session waits in spite of free slots. */
  readonly starvedSinceMs: number | undefined;
  /** Highest numbers of required workers within the stabilization window. Each peak is lower than the one before. */
  readonly peaks: readonly Peak[];
}

export interface Peak {
  readonly atMs: number;
  readonly workers: number;
}

/**
 * Returns the first state of a pool with this many workers. `slotsPerWorker` is the expected number of slots of one
 * worker, if it is known.
 */
export function initialScaling(workers: number, nowMs: number, slotsPerWorker?: number): ScalingState {
  return {
    desired: workers,
    decidedAtMs: nowMs,
    slotsPerWorker,
    // The reason for existing workers is unknown, so they count as needed now. An empty pool stays empty until there is
    // demand.
    lastDemandMs: workers > 0 ? nowMs : undefined,
    starvedSinceMs: undefined,
    peaks: [{ atMs: nowMs, workers }],
  };
}

/**
 * Returns the state that would result if the last decision were repeated now. The pool must not have changed since that
 * decision.
 */
export function prolong(state: ScalingState, nowMs: number): ScalingState {
  const along = (atMs: number) => (atMs === state.decidedAtMs ? nowMs : atMs);
  return {
    ...state,
    decidedAtMs: nowMs,
    lastDemandMs: state.lastDemandMs === undefined ? undefined : along(state.lastDemandMs),
    peaks: state.peaks.map(({ atMs, workers }) => ({ atMs: along(atMs), workers })),
  };
}

/**
 * Adds a peak: the number of workers that is required now. Removes peaks outside the window, and peaks that are not
 * higher than the new one.
 */
export function addPeak(peaks: readonly Peak[], peak: Peak, windowMs: number): Peak[] {
  const kept = peaks.filter(({ atMs, workers }) => atMs > peak.atMs - windowMs && workers > peak.workers);
  return [...kept, peak];
}
