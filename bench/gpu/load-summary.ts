import { describe, join, percentiles, quartersOf } from './percentiles.ts';
import type { Percentiles, Quarters } from './percentiles.ts';

/** Measurements of one generator. Times are in milliseconds and in the order in which they were measured. */
export interface LoadResult {
  readonly opened: number;
  readonly failures: readonly string[];
  /** Times from the last sample of a window to its result. */
  readonly latencies: Float64Array;
  /** Times from a flush to its final. */
  readonly finals: Float64Array;
  /** Times by which the load generator wrote audio too late. */
  readonly lags: Float64Array;
  /**
   * Number of results that were missing at the end of the run. In the part `worker`, the number of streams that still
   * waited for a result.
   */
  readonly unanswered: number;
  /** Number of transcripts that were compared with the expected ones. */
  readonly compared: number;
  /** Number of compared transcripts that differ. */
  readonly different: number;
}

/** Measurements of all generators together. */
export interface LoadSummary {
  readonly windows: number;
  readonly finals: number;
  readonly opened: number;
  readonly failures: readonly string[];
  readonly latencyMs: Percentiles;
  readonly finalMs: Percentiles;
  readonly generatorLagMs: Percentiles;
  readonly quarters: Quarters;
  readonly unanswered: number;
  readonly compared: number;
  readonly different: number;
}

export function summarize(results: readonly LoadResult[]): LoadSummary {
  const latencies = join(results.map((one) => one.latencies));
  const finals = join(results.map((one) => one.finals));
  return {
    windows: latencies.length,
    finals: finals.length,
    opened: sumOf(results, ({ opened }) => opened),
    failures: results.flatMap(({ failures }) => failures),
    latencyMs: percentiles(latencies),
    finalMs: percentiles(finals),
    generatorLagMs: percentiles(join(results.map(({ lags }) => lags))),
    quarters: quartersOf(results.map((one) => one.latencies)),
    unanswered: sumOf(results, ({ unanswered }) => unanswered),
    compared: sumOf(results, ({ compared }) => compared),
    different: sumOf(results, ({ different }) => different),
  };
}

export function sumOf<T>(results: readonly T[], of: (result: T) => number): number {
  return results.reduce((total, one) => total + of(one), 0);
}

/** Describes a run in one line. */
export function describeLoad(summary: LoadSummary): string {
  const { windows, finals, opened, failures, quarters, unanswered, compared, different } = summary;
  return [
    `${windows} windows, ${finals} finals, ${opened} opened, ${failures.length} failed ${failures[0] ?? ''}`,
    `latency ${describe(summary.latencyMs)}, first quarter p95 ${quarters.firstP95.toFixed(1)}, last ${quarters.lastP95.toFixed(1)}`,
    `finals ${describe(summary.finalMs)}; generators late by p95 ${summary.generatorLagMs.p95.toFixed(1)} ms`,
    `${unanswered} unanswered; ${different} of ${compared} transcripts differ`,
  ].join('; ');
}

/** Returns the figures of a run. `seconds` is the duration of its measurement. */
export function figuresOf(summary: LoadSummary, seconds: number): Record<string, number> {
  return {
    windows_per_second: summary.windows / seconds,
    latency_p50_ms: summary.latencyMs.p50,
    latency_p95_ms: summary.latencyMs.p95,
    latency_p99_ms: summary.latencyMs.p99,
    first_quarter_p95_ms: summary.quarters.firstP95,
    last_quarter_p95_ms: summary.quarters.lastP95,
    final_p95_ms: summary.finalMs.p95,
    generator_lag_p95_ms: summary.generatorLagMs.p95,
    opened: summary.opened,
    failures: summary.failures.length,
    unanswered: summary.unanswered,
    compared_transcripts: summary.compared,
    different_transcripts: summary.different,
  };
}

/** Adds the figures of a run to `figures`. Each name gets the label of the run as a prefix. */
export function addFigures(figures: Record<string, number>, label: string, added: Record<string, number>): void {
  for (const [name, value] of Object.entries(added)) figures[`${label}_${name}`] = value;
}
