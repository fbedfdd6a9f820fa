/** Latency is promised at the 95th percentile, so stalls rarer than this are not what slots are sized for; slow seconds are. */
const SLOW_SHARE = 0.1;
/** Runs that differ by less were made on cores that nobody else uses. */
const STEADY_SPREAD = 1.1;

/**
 * How long a run takes when the machine is slow: a core that others use too changes its speed by half from one second to
 * the next, and whoever speaks in a slow second is promised the same as the others.
 */
export function slowRun(timesMs: readonly number[]): number {
  return quantile(timesMs, 1 - SLOW_SHARE);
}

/** Whether slow runs take about as long as quick ones: then to go on measuring would tell nothing more. */
export function isSteady(timesMs: readonly number[]): boolean {
  return slowRun(timesMs) <= STEADY_SPREAD * quantile(timesMs, SLOW_SHARE);
}

/** Streams that a measured speed sustains: each takes `realTimeFactor` of the thread's time. */
export function deriveSlots(realTimeFactor: number, utilization: number, most: number): number {
  return Math.min(most, Math.max(1, Math.floor(utilization / realTimeFactor)));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
