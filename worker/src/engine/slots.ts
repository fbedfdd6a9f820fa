/**
 * Share of the slowest runs that is ignored. The latency target is for the 95th percentile, so that rare slow runs may
 * miss it. The slowest of the remaining runs determines the number of slots.
 */
const SLOW_SHARE = 0.1;
/**
 * Ratio of the duration of slow runs to the duration of fast runs up to which the machine counts as steady. A higher
 * ratio shows that other processes use the cores.
 */
const STEADY_SPREAD = 1.1;

/**
 * Returns the duration of runs in slow seconds, from the durations of all runs. The speed of a shared core can change
 * by half from one second to the next. The worker must reach the latency target in slow seconds too.
 */
export function slowRun(timesMs: readonly number[]): number {
  return quantile(timesMs, 1 - SLOW_SHARE);
}

/** Returns true if slow runs take about as long as fast runs. A longer measurement would then add no information. */
export function isSteady(timesMs: readonly number[]): boolean {
  return slowRun(timesMs) <= STEADY_SPREAD * quantile(timesMs, SLOW_SHARE);
}

/**
 * Returns the number of streams that the thread can serve in the share `utilization` of its time, from 1 to `most`.
 * Each stream takes the share `realTimeFactor` of the time.
 */
export function deriveSlots(realTimeFactor: number, utilization: number, most: number): number {
  return Math.min(most, Math.max(1, Math.floor(utilization / realTimeFactor)));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
