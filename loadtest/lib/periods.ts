/**
 * Schedule of the scenario noisy-tenant: quiet and noisy periods of equal length alternate, starting with a quiet one.
 */
export interface Periods {
  /**
   * Start of the first period, in milliseconds since the epoch. The k6 process of the regular tenants and that of the
   * noisy tenant use the same clock.
   */
  readonly startMs: number;
  readonly seconds: number;
  /** Number of periods, half of them noisy. */
  readonly count: number;
}

export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** Tags of a measurement. Both are empty if the measurement belongs to no period. */
export interface PeriodTags {
  readonly period: 'quiet' | 'noisy' | '';
  /**
   * The quiet periods are tagged `first` and `second` in turn, and so are the noisy periods. If the latencies of quiet
   * periods with different tags differ, the machine was not steady.
   */
  readonly half: 'first' | 'second' | '';
}

/** Time from the start of k6 to the first period. All streams are open by then. */
export const WARM_UP_SECONDS = 25;

/** Time at the start of each period in which nothing is measured, because the noise is starting or ending. */
const SETTLE_MS = 1000;
const NONE: PeriodTags = { period: '', half: '' };

/** Returns the tags for measurements at this time. */
export function periodTags(periods: Periods, nowMs: number): PeriodTags {
  const elapsedMs = nowMs - periods.startMs;
  const lengthMs = periods.seconds * 1000;
  const index = Math.floor(elapsedMs / lengthMs);
  if (index < 0 || index >= periods.count || elapsedMs % lengthMs < SETTLE_MS) return NONE;
  return { period: index % 2 === 0 ? 'quiet' : 'noisy', half: Math.floor(index / 2) % 2 === 0 ? 'first' : 'second' };
}

/** Returns the time ranges of the noisy periods, in order. */
export function noisyRanges({ startMs, seconds, count }: Periods): TimeRange[] {
  return Array.from({ length: count / 2 }, (_, at) => {
    const rangeStartMs = startMs + (2 * at + 1) * seconds * 1000;
    return { startMs: rangeStartMs, endMs: rangeStartMs + seconds * 1000 };
  });
}

/** Returns the total duration of the noisy periods in minutes. */
export function noisyMinutes({ seconds, count }: Pick<Periods, 'seconds' | 'count'>): number {
  return (seconds * count) / 2 / 60;
}
