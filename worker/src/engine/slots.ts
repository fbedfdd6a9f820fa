/** Latency is promised at the 95th percentile, so stalls rarer than this are not what slots are sized for; slow seconds are. */
const SLOW_SHARE = 0.15;

/**
 * How long a run takes when the machine is slow: a core that others use too changes its speed by half from one second to
 * the next, and whoever speaks in a slow second is promised the same as the others.
 */
export function slowRun(timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * (1 - SLOW_SHARE))] ?? 0;
}

/** Streams that a measured speed sustains: each takes `realTimeFactor` of the thread's time. */
export function deriveSlots(realTimeFactor: number, utilization: number, most: number): number {
  return Math.min(most, Math.max(1, Math.floor(utilization / realTimeFactor)));
}
