/** State of the autoscaler of a pool between two decisions. */
export interface ScalingState {
  /** Number of workers or slots of the last decision, see `unit`. */
  readonly desired: number;
  /** `slots` if the state of a model with tiers counts slots. Otherwise it counts workers. */
  readonly unit?: 'slots';
  readonly decidedAtMs: number;
  /** Expected slots of one worker. Undefined if not known yet. */
  readonly slotsPerWorker: number | undefined;
  /** Last time at which there was, or may have been, demand. Undefined if there never was. */
  readonly lastDemandMs: number | undefined;
  /** Time since when sessions wait although slots are free. Undefined if none do. */
  readonly starvedSinceMs: number | undefined;
  /** Required workers within the stabilization window. Each peak is lower than the one before. */
  readonly peaks: readonly Peak[];
}

export interface Peak {
  readonly atMs: number;
  readonly workers: number;
}

/** Returns the state of a pool of which only its workers are known. */
export function initialScaling(workers: number, nowMs: number, slotsPerWorker?: number): ScalingState {
  return {
    desired: workers,
    decidedAtMs: nowMs,
    slotsPerWorker,
    // Existing workers count as demand, because the reason for them is unknown. An empty pool stays empty until there
    // is demand.
    lastDemandMs: workers > 0 ? nowMs : undefined,
    starvedSinceMs: undefined,
    peaks: [{ atMs: nowMs, workers }],
  };
}

/**
 * Extends the state of a pool that has not changed since its last decision, as if the same decision had been made again
 * now.
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
 * Adds the number of workers that is required now. Removes peaks that are outside the window or not higher than the new
 * one.
 */
export function addPeak(peaks: readonly Peak[], peak: Peak, windowMs: number): Peak[] {
  const kept = peaks.filter(({ atMs, workers }) => atMs > peak.atMs - windowMs && workers > peak.workers);
  return [...kept, peak];
}
