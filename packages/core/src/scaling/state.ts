/** What the autoscaler remembers of a pool from one decision to the next. */
export interface ScalingState {
  /** The last decision. */
  readonly desired: number;
  readonly decidedAtMs: number;
  /** What one worker is counted to take; undefined: not known yet. */
  readonly slotsPerWorker: number | undefined;
  /** When there last was demand, or may have been; undefined: never. */
  readonly lastDemandMs: number | undefined;
  /** Since when sessions wait although slots are free; undefined: they do not. */
  readonly starvedSinceMs: number | undefined;
  /** What was wanted within the stabilisation window: of two, the later is the lower. */
  readonly peaks: readonly Peak[];
}

export interface Peak {
  readonly atMs: number;
  readonly workers: number;
}

/** The state of a pool that nothing is known of but the workers it has. */
export function beginScaling(workers: number, nowMs: number, slotsPerWorker?: number): ScalingState {
  return {
    desired: workers,
    decidedAtMs: nowMs,
    slotsPerWorker,
    // Workers are there for a reason that we do not know; a pool without any stays without until somebody comes.
    lastDemandMs: workers > 0 ? nowMs : undefined,
    starvedSinceMs: undefined,
    peaks: [{ atMs: nowMs, workers }],
  };
}

/** The state of a pool that has stood still since its last decision: what held then has held until now. */
export function prolong(state: ScalingState, nowMs: number): ScalingState {
  const along = (atMs: number) => (atMs === state.decidedAtMs ? nowMs : atMs);
  return {
    ...state,
    decidedAtMs: nowMs,
    lastDemandMs: state.lastDemandMs === undefined ? undefined : along(state.lastDemandMs),
    peaks: state.peaks.map(({ atMs, workers }) => ({ atMs: along(atMs), workers })),
  };
}

/** Adds what is wanted now, and leaves out what is older than the window or was outdone since. */
export function addPeak(peaks: readonly Peak[], peak: Peak, windowMs: number): Peak[] {
  const kept = peaks.filter(({ atMs, workers }) => atMs > peak.atMs - windowMs && workers > peak.workers);
  return [...kept, peak];
}
