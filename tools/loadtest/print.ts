import type { Distribution } from './percentile.ts';
import { describeSaturation } from './saturation.ts';
import type { Summary } from './summary.ts';

const MEANINGS = {
  passed: 'passed',
  failed: 'FAILED',
  void: 'VOID: the generator itself was too slow; give it more or less to do and run again',
} as const;

/** The result as lines for a terminal. */
export function buildLines(summary: Summary, holdsPromises: boolean): string[] {
  const { gates, promises, lag, create, contexts, saturation, wordErrorRatePercent: wer } = summary;
  const promised = promises.map(({ promise, limitMs, kept, ...seen }) => {
    const mark = kept ? '✓' : holdsPromises ? '✗' : '!';
    return `${mark} ${row(promise, seen)}  promised p95 ${limitMs} ms`;
  });
  return [
    `${summary.scenario}: ${summary.streams} streams, ${summary.sessions} sessions, ${summary.utterances} utterances, ` +
      (summary.declaredSlots === 0 ? 'declared slots not known' : `${summary.declaredSlots} declared slots`),
    ...promised,
    `  ${row('create', create)}`,
    `  ${row('lag', lag)}  void above p95 ${summary.lagLimitMs} ms`,
    ...Object.entries(contexts).map(([context, seen]) => `  ${row(`delta [${context}]`, seen)}`),
    `  word error rate ${wer === null ? '-' : `${wer} %`}`,
    ...Object.entries(summary.refusals).map(([refusal, count]) => `  refused ${count} x ${refusal}`),
    ...gates.map(({ name, passed, detail }) => `${passed ? '✓' : '✗'} ${name}: ${detail}`),
    ...(saturation === null ? [] : [describeSaturation(saturation)]),
    `${summary.scenario}: ${MEANINGS[summary.outcome]}`,
  ];
}

function row(name: string, { count, p50, p95, max }: Distribution): string {
  const ms = (value: number | null) => `${value === null ? '-' : Math.round(value)} ms`.padStart(8);
  return `${name.padEnd(14)} p50 ${ms(p50)}  p95 ${ms(p95)}  max ${ms(max)}  of ${count}`;
}
