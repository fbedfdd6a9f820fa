import { PROMISES } from '../../loadtest/lib/promises.ts';
import type { Limits, PromiseName } from '../../loadtest/lib/promises.ts';
import type { Distribution } from './percentile.ts';
import { distributionOf, percentile } from './percentile.ts';
import type { Records } from './records.ts';

/** A latency and when it was seen. */
export type Point = readonly [atMs: number, valueMs: number];

/** Latencies of those whom promises are made to. */
export type Series = Readonly<Record<PromiseName, readonly Point[]>>;

/** Takes the latencies out of the records, within a time if one is given. */
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

/** A promise and whether it was kept. */
export interface Verdict extends Distribution {
  readonly promise: PromiseName;
  readonly quote: string;
  readonly limitMs: number;
  /** A promise that was never put to the test is not kept. */
  readonly kept: boolean;
}

/** Compares what was seen with what is promised. */
export function judgePromises(series: Series, limits: Limits): Verdict[] {
  return (Object.keys(PROMISES) as PromiseName[]).map((promise) => {
    const values = series[promise].map(([, value]) => value);
    const p95 = percentile(values, 95);
    const limitMs = limits[promise];
    const kept = p95 !== undefined && p95 <= limitMs;
    return { promise, quote: PROMISES[promise].quote, limitMs, kept, ...distributionOf(values) };
  });
}

/** How late the generator itself was. */
export function lagOf({ utterances }: Records): Distribution {
  return distributionOf(utterances.flatMap(({ lagsMs }) => lagsMs));
}

/** Word errors over words, in percent; null without words. */
export function wordErrorRateOf({ utterances }: Records): number | null {
  const words = utterances.reduce((sum, utterance) => sum + utterance.words, 0);
  const errors = utterances.reduce((sum, utterance) => sum + utterance.wordErrors, 0);
  return words === 0 ? null : Math.round((1000 * errors) / words) / 10;
}

/** The deltas of each context, where several were asked for. */
export function byContext({ utterances }: Records): Record<string, Distribution> {
  const contexts = [...new Set(utterances.map(({ context }) => context))].filter((context) => context !== '').sort();
  return Object.fromEntries(
    contexts.map((context) => {
      const own = utterances.filter((utterance) => utterance.context === context);
      return [context, distributionOf(own.flatMap(({ deltas }) => deltas.map(([, latency]) => latency)))];
    }),
  );
}
