import type { Point } from '../latencies.ts';
import { percentile, percentiles } from '../percentile.ts';

/** Points of a picture: seconds since the start, and a value. */
export type PlotPoint = [x: number, y: number];

const MOST_BUCKETS = 120;
/** Moments at which something is counted over the whole time. */
const MOMENTS = 300;

/** Length of the pieces that a run's time is cut into: whole seconds, so few that they can be told apart. */
export function bucketSeconds(totalSeconds: number): number {
  return Math.max(1, Math.ceil(totalSeconds / MOST_BUCKETS));
}

/** A percentile of each piece of time; pieces without values are left out. */
export function percentileOverTime(
  points: readonly Point[],
  startMs: number,
  seconds: number,
  percent: number,
): PlotPoint[] {
  const pieces = new Map<number, number[]>();
  for (const [atMs, value] of points) {
    const piece = Math.floor((atMs - startMs) / (seconds * 1000));
    const values = pieces.get(piece);
    if (values === undefined) pieces.set(piece, [value]);
    else values.push(value);
  }
  return [...pieces.entries()]
    .sort(([a], [b]) => a - b)
    .map(([piece, values]) => [(piece + 0.5) * seconds, percentile(values, percent) ?? 0]);
}

/** How many intervals are open at moments from the start to the end. */
export function openOverTime(
  intervals: readonly (readonly [fromMs: number, toMs: number])[],
  startMs: number,
  totalSeconds: number,
): PlotPoint[] {
  return Array.from({ length: MOMENTS + 1 }, (_, moment) => {
    const x = (moment / MOMENTS) * totalSeconds;
    const atMs = startMs + x * 1000;
    return [x, intervals.filter(([fromMs, toMs]) => fromMs <= atMs && atMs < toMs).length];
  });
}

/** The share of values that are at most so large, in percent. */
export function cumulative(values: readonly number[]): PlotPoint[] {
  const shares = Array.from({ length: 101 }, (_, percent) => percent);
  return percentiles(values, shares).map((value, percent) => [value ?? 0, percent]);
}
