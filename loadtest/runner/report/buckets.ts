import type { Point } from '../latencies.ts';
import { percentile, percentiles } from '../percentile.ts';

/** A point of a chart: seconds since the start, and a value. */
export type PlotPoint = [x: number, y: number];

const MAX_BUCKETS = 120;
/** Number of times at which open streams are counted. */
const SAMPLE_COUNT = 300;

/** Returns the length of a time bucket in whole seconds, so that a chart has at most MAX_BUCKETS of them. */
export function bucketSeconds(totalSeconds: number): number {
  return Math.max(1, Math.ceil(totalSeconds / MAX_BUCKETS));
}

/** Computes a percentile of each time bucket. Buckets without values are left out. */
export function percentileOverTime(
  points: readonly Point[],
  startMs: number,
  seconds: number,
  percent: number,
): PlotPoint[] {
  const buckets = new Map<number, number[]>();
  for (const [atMs, value] of points) {
    const bucket = Math.floor((atMs - startMs) / (seconds * 1000));
    const values = buckets.get(bucket);
    if (values === undefined) buckets.set(bucket, [value]);
    else values.push(value);
  }
  return [...buckets.entries()]
    .sort(([a], [b]) => a - b)
    .map(([bucket, values]) => [(bucket + 0.5) * seconds, percentile(values, percent) ?? 0]);
}

/** Counts the open intervals at evenly spaced times. */
export function openOverTime(
  intervals: readonly (readonly [fromMs: number, toMs: number])[],
  startMs: number,
  totalSeconds: number,
): PlotPoint[] {
  return Array.from({ length: SAMPLE_COUNT + 1 }, (_, sample) => {
    const x = (sample / SAMPLE_COUNT) * totalSeconds;
    const atMs = startMs + x * 1000;
    return [x, intervals.filter(([fromMs, toMs]) => fromMs <= atMs && atMs < toMs).length];
  });
}

/** Returns the cumulative distribution: for each percentage of the values, the largest of them. */
export function cumulative(values: readonly number[]): PlotPoint[] {
  const shares = Array.from({ length: 101 }, (_, percent) => percent);
  return percentiles(values, shares).map((value, percent) => [value ?? 0, percent]);
}
