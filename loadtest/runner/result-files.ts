import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Comparison } from './comparison.ts';
import type { Distribution } from './k6-metrics.ts';
import { describeSaturation } from './saturation.ts';
import type { Summary } from './summary.ts';

/** Files that a run writes into its folder. The page is written by k6. */
export const RESULT_FILES = { summary: 'summary.json', text: 'summary.txt', page: 'report.html' } as const;

/** Writes the summary of a run and returns the lines to print. */
export function writeResult(folder: string, summary: Summary): string[] {
  const lines = buildLines(summary);
  writeFileSync(join(folder, RESULT_FILES.summary), `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(join(folder, RESULT_FILES.text), `${lines.join('\n')}\n`);
  return lines;
}

/** A part of a file that fits into one line of a log. */
const LINE = /.{1,8000}/g;

/**
 * Returns summary.json and the page of a run as log lines. The files of an ended pod cannot be read, but its log can.
 * Each line starts with the file name. The page contains line breaks and is therefore compressed and base64-encoded.
 * The lines of the page are short. A container runtime splits lines of more than 16 KiB, and output of stderr can get
 * between the parts.
 */
export function buildLogLines(folder: string): string[] {
  const summary = JSON.parse(readFileSync(join(folder, RESULT_FILES.summary), 'utf8')) as unknown;
  const page = join(folder, RESULT_FILES.page);
  return [
    `${RESULT_FILES.summary} ${JSON.stringify(summary)}`,
    // The page may be missing, because k6 writes none for a run of a few seconds.
    ...(existsSync(page) ? encode(readFileSync(page)).map((part) => `${RESULT_FILES.page}.gz ${part}`) : []),
  ];
}

function encode(page: Buffer): string[] {
  return gzipSync(page).toString('base64').match(LINE) ?? [];
}

/** Builds the lines of the result for a terminal. */
export function buildLines(summary: Summary): string[] {
  const { scenario, streams, declaredSlots, declaredAfter, saturation, wordErrorRatePercent: wer } = summary;
  const { cpuHalvedAfterSeconds: halvedAfter } = summary;
  const slots =
    declaredSlots === 0
      ? 'declared slots unknown'
      : `${declaredSlots} declared slots${describeRange(summary.slotRange)}`;
  return [
    `${scenario}: ${streams} streams, ${summary.sessions} sessions, ${summary.refused} refused, ${slots}`,
    ...(halvedAfter === null ? [] : [`  the worker was limited to half a core after ${halvedAfter} s`]),
    ...summary.targets.map(
      ({ target, limitMs, met, ...seen }) => `${mark(met)} ${row(target, seen)}  target p95 ${limitMs} ms`,
    ),
    ...summary.comparisons.flatMap(describeComparison),
    ...Object.entries(summary.contexts).map(([context, seen]) => `  ${row(`delta [${context}]`, seen)}`),
    ...(summary.quietIdleShare === null
      ? []
      : [`  idle CPU time in quiet periods ${Math.round(100 * summary.quietIdleShare)} %`]),
    `  ${row('create', summary.create)}`,
    `  ${row('lag', summary.lag)}  void above p95 ${summary.lagLimitMs} ms`,
    `  word error rate ${wer === null ? '-' : `${wer} %`}`,
    ...summary.gates.map(({ name, passed, detail }) => `${mark(passed)} ${name}: ${detail}`),
    ...(saturation === null ? [] : [describeSaturation(saturation, declaredSlots, declaredAfter)]),
    `${scenario}: ${describeOutcome(summary)}`,
  ];
}

const mark = (passed: boolean | null) => (passed === null ? ' ' : passed ? '✓' : '✗');

function describeComparison({ name, quiet, noisy, ratio, limitMs, met }: Comparison): string[] {
  return [
    `  ${row(`${name} quiet`, quiet)}`,
    `${mark(met)} ${row(`${name} noisy`, noisy)}  ratio ${ratio ?? '-'}, limit ${limitMs ?? '-'} ms`,
  ];
}

function describeRange(range: Summary['slotRange']): string {
  if (range === null || range.least === range.most) return '';
  return ` at first, ${range.least} to ${range.most} during the run`;
}

function describeOutcome({ outcome, voidReason, declaredSlots, declaredAfter }: Summary): string {
  if (outcome !== 'void') return outcome === 'failed' ? 'FAILED' : outcome;
  if (voidReason === 'late generator') {
    return 'VOID: the generator was too slow. Give it more CPU or fewer streams and run again.';
  }
  if (voidReason === 'busy machine') {
    return 'VOID: other programs used the machine in the quiet periods. Run again on a quieter machine.';
  }
  return voidReason === 'unsteady machine'
    ? 'VOID: latencies differ as much between quiet periods as between quiet and noisy ones. Run again on a quieter machine.'
    : `VOID: the machine became slower during the run. A worker now declares ${declaredAfter ?? 0} slots, not ${declaredSlots}. Run again.`;
}

function row(name: string, { count, p50, p95, max }: Distribution): string {
  const ms = (value: number | null) => `${value === null ? '-' : Math.round(value)} ms`.padStart(8);
  return `${name.padEnd(17)} p50 ${ms(p50)}  p95 ${ms(p95)}  max ${ms(max)}  of ${count}`;
}
