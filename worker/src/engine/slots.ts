/**
 * Share of the slowest runs that is ignored, because the latency target is for the 95th percentile. Slots are sized for
 * the slowest of the other runs.
 */
const SLOW_SHARE = 0.1;
/** Largest ratio of the duration of slow runs to that of fast runs if no other process uses the cores. */
const STEADY_SPREAD = 1.1;

/**
 * Returns the duration of a run while the machine is slow. The speed of a shared core can change by half from one
 * second to the next. The latency target must hold in slow seconds too.
 */
export function slowRun(timesMs: readonly number[]): number {
  return quantile(timesMs, 1 - SLOW_SHARE);
}

/** Returns true if slow runs take about as long as fast ones. A longer measurement would then add no information. */
export function isSteady(timesMs: readonly number[]): boolean {
  return slowRun(timesMs) <= STEADY_SPREAD * quantile(timesMs, SLOW_SHARE);
}

/**
 * Returns the number of streams that fit into the share `utilization` of the thread's time, from 1 to `most`. Each
 * stream takes the share `realTimeFactor`.
 */
export function deriveSlots(realTimeFactor: number, utilization: number, most: number): number {
  return Math.min(most, Math.max(1, Math.floor(utilization / realTimeFactor)));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
