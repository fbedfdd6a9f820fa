/** Distribution of a latency, in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Returns the distribution of values. All fields are 0 if there are no values. */
export function percentiles(values: ArrayLike<number>): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** 95th percentiles of the first and of the last quarter of a run. */
export interface Quarters {
  readonly firstP95: number;
  readonly lastP95: number;
}

/**
 * Returns the 95th percentiles of the first and the last quarter of several series. Each series has the measurements of
 * one generator, in the order of measurement.
 */
export function quartersOf(series: readonly Float64Array[]): Quarters {
  const first = series.map((values) => values.subarray(0, Math.floor(values.length / 4)));
  const last = series.map((values) => values.subarray(values.length - Math.floor(values.length / 4)));
  return { firstP95: percentiles(join(first)).p95, lastP95: percentiles(join(last)).p95 };
}

/** Joins the measurements of several generators. */
export function join(series: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(series.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const values of series) {
    all.set(values, at);
    at += values.length;
  }
  return all;
}

/** Factor and additional time by which the last quarter of a run may be slower than the first. */
const GROWTH = { share: 1.25, ms: 15 };

/** Returns whether latencies grew during a run, as they do while a backlog builds up. */
export function growsBacklog({ firstP95, lastP95 }: Quarters): boolean {
  return lastP95 > firstP95 * GROWTH.share + GROWTH.ms;
}

/** Formats a distribution. */
export function describe({ p50, p95, p99 }: Percentiles): string {
  return `p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
}
