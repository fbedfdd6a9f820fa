import type { Distribution } from './percentile.ts';
import { describeSaturation } from './saturation.ts';
import type { Summary } from './summary.ts';

/** Builds the lines of the result for a terminal. */
export function buildLines(summary: Summary, requiresLatency: boolean): string[] {
  const { gates, targets, lag, create, contexts, saturation, wordErrorRatePercent: wer } = summary;
  const targetLines = targets.map(({ target, limitMs, met, ...seen }) => {
    const mark = met ? '✓' : requiresLatency ? '✗' : '!';
    return `${mark} ${row(target, seen)}  target p95 ${limitMs} ms`;
  });
  return [
    `${summary.scenario}: ${summary.streams} streams, ${summary.sessions} sessions, ${summary.utterances} utterances, ` +
      (summary.declaredSlots === 0 ? 'declared slots unknown' : `${summary.declaredSlots} declared slots`),
    ...targetLines,
    `  ${row('create', create)}`,
    `  ${row('lag', lag)}  void above p95 ${summary.lagLimitMs} ms`,
    ...Object.entries(contexts).map(([context, seen]) => `  ${row(`delta [${context}]`, seen)}`),
    `  word error rate ${wer === null ? '-' : `${wer} %`}`,
    ...Object.entries(summary.refusals).map(([refusal, count]) => `  refused ${count} x ${refusal}`),
    ...gates.map(({ name, passed, detail }) => `${passed ? '✓' : '✗'} ${name}: ${detail}`),
    ...(saturation === null ? [] : [describeSaturation(saturation)]),
    `${summary.scenario}: ${describeOutcome(summary)}`,
  ];
}

function describeOutcome({ outcome, voidReason, declaredSlots, declaredAfter }: Summary): string {
  if (outcome !== 'void') return outcome === 'failed' ? 'FAILED' : outcome;
  return voidReason === 'late generator'
    ? 'VOID: the generator was too slow. Give it more CPU or fewer streams and run again.'
    : `VOID: the machine became slower during the run. A worker now declares ${declaredAfter ?? 0} slots, not ${declaredSlots}. Run again.`;
}

function row(name: string, { count, p50, p95, max }: Distribution): string {
  const ms = (value: number | null) => `${value === null ? '-' : Math.round(value)} ms`.padStart(8);
  return `${name.padEnd(14)} p50 ${ms(p50)}  p95 ${ms(p95)}  max ${ms(max)}  of ${count}`;
}
