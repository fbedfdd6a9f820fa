/** Streams that a measured speed sustains: each takes `realTimeFactor` of the thread's time. */
export function deriveSlots(realTimeFactor: number, utilization: number, most: number): number {
  return Math.min(most, Math.max(1, Math.floor(utilization / realTimeFactor)));
}
