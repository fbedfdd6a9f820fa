import { LATENCY_TARGETS } from '../lib/latency-targets.ts';
import type { Limits, LatencyTargetName } from '../lib/latency-targets.ts';
import type { Distribution } from './percentile.ts';
import { distributionOf, percentile } from './percentile.ts';
import type { Records } from './records.ts';

/** A latency and the time when it was measured. */
export type Point = readonly [atMs: number, valueMs: number];

/** Latencies of regular tenants. */
export type Series = Readonly<Record<LatencyTargetName, readonly Point[]>>;

/** Extracts the latencies from the records, optionally within a time range. */
export function seriesOf(records: Records, fromMs = -Infinity, toMs = Infinity): Series {
  const isWithin = ([atMs]: Point) => atMs >= fromMs && atMs < toMs;
  const utterances = records.utterances.filter(({ role }) => role === 'regular');
  const sessions = records.sessions.filter(({ role }) => role === 'regular');
  return {
    delta: utterances.flatMap(({ deltas }) => deltas).filter(isWithin),
    final: utterances.flatMap(({ final }) => (final === null ? [] : [final])).filter(isWithin),
    ready: sessions
      .flatMap(({ openedAtMs, readyMs }): Point[] => (readyMs === null ? [] : [[openedAtMs + readyMs, readyMs]]))
      .filter(isWithin),
  };
}

/** A latency target with the measured distribution. */
export interface Verdict extends Distribution {
  readonly target: LatencyTargetName;
  readonly quote: string;
  readonly limitMs: number;
  /** False for a target without measurements. */
  readonly met: boolean;
}

/** Compares the measured latencies with the targets. */
export function judgeTargets(series: Series, limits: Limits): Verdict[] {
  return (Object.keys(LATENCY_TARGETS) as LatencyTargetName[]).map((target) => {
    const values = series[target].map(([, value]) => value);
    const p95 = percentile(values, 95);
    const limitMs = limits[target];
    const met = p95 !== undefined && p95 <= limitMs;
    return { target, quote: LATENCY_TARGETS[target].quote, limitMs, met, ...distributionOf(values) };
  });
}

/** Returns how late the generator sent frames. */
export function lagOf({ utterances }: Records): Distribution {
  return distributionOf(utterances.flatMap(({ lagsMs }) => lagsMs));
}

/** Returns word errors in percent of the words, or null without words. */
export function wordErrorRateOf({ utterances }: Records): number | null {
  const words = utterances.reduce((sum, utterance) => sum + utterance.words, 0);
  const errors = utterances.reduce((sum, utterance) => sum + utterance.wordErrors, 0);
  return words === 0 ? null : Math.round((1000 * errors) / words) / 10;
}

/** Returns the delta latencies of each requested context. */
export function byContext({ utterances }: Records): Record<string, Distribution> {
  const contexts = [...new Set(utterances.map(({ context }) => context))].filter((context) => context !== '').sort();
  return Object.fromEntries(
    contexts.map((context) => {
      const own = utterances.filter((utterance) => utterance.context === context);
      return [context, distributionOf(own.flatMap(({ deltas }) => deltas.map(([, latency]) => latency)))];
    }),
  );
}
