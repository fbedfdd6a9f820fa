import type { Limits } from '../lib/latency-targets.ts';
import { judgeTargets, seriesOf } from './latencies.ts';
import type { Verdict } from './latencies.ts';
import type { Records } from './records.ts';

/** A step of a ramp and its measurements. */
export interface Step {
  readonly streams: number;
  readonly verdicts: readonly Verdict[];
  readonly refused: number;
  /** Reasons why the step failed. Empty if it passed. */
  readonly failures: readonly string[];
}

/** Result of a ramp. */
export interface Saturation {
  readonly declaredSlots: number;
  /** Slots that another worker of the same kind measured after the ramp, or null if unknown. */
  readonly declaredAfter: number | null;
  /** Largest number of streams at which all targets were met, or 0 if the first step failed. */
  readonly passedAt: number;
  /** Number of streams at which a target was missed, or null if none was missed up to the last step. */
  readonly failedAt: number | null;
  readonly reason: string;
  readonly steps: readonly Step[];
}

/** Relative difference between two measurements of slots above which the speed of the machine has changed. */
export const CHANGED_SHARE = 0.1;

/** Returns the numbers of streams of the steps, in order. */
export function stepsOf(declaredSlots: number, percent: { start: number; step: number; max: number }): number[] {
  const steps = new Set<number>();
  for (let share = percent.start; share <= percent.max; share += percent.step) {
    steps.add(Math.max(1, Math.round((declaredSlots * share) / 100)));
  }
  return [...steps];
}

/** Judges the measurements of a time range in which the given number of streams was open. */
export function judgeStep(records: Records, streams: number, fromMs: number, toMs: number, limits: Limits): Step {
  const verdicts = judgeTargets(seriesOf(records, fromMs, toMs), limits);
  const refused = records.refusals.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
  // Sessions may be longer than a step, so a step without ready events does not fail.
  const late = verdicts.filter(({ target, met, count }) => !met && (count > 0 || target !== 'ready'));
  const failures = late.map(({ target, p95, limitMs }) =>
    p95 === null ? `no ${target} arrived` : `${target} p95 ${Math.round(p95)} ms > ${limitMs} ms`,
  );
  return {
    streams,
    verdicts,
    refused,
    failures: refused > 0 ? [...failures, `${refused} sessions refused`] : failures,
  };
}

/** Derives the result of a ramp from its steps, in order. */
export function concludeRamp(declaredSlots: number, steps: readonly Step[]): Saturation {
  const failed = steps.find((step) => step.failures.length > 0);
  const passed = steps.filter((step) => step.failures.length === 0 && step.streams < (failed?.streams ?? Infinity));
  return {
    declaredSlots,
    declaredAfter: null,
    passedAt: passed.at(-1)?.streams ?? 0,
    failedAt: failed?.streams ?? null,
    reason: failed?.failures.join(', ') ?? 'all targets were met up to the last step',
    steps,
  };
}

/** Describes the result in one line. */
export function describeSaturation({ declaredSlots, declaredAfter, passedAt, failedAt, reason }: Saturation): string {
  const share = (streams: number) => `${Math.round((100 * streams) / Math.max(1, declaredSlots))} %`;
  const found =
    failedAt === null
      ? `not reached: targets met at ${passedAt} streams (${share(passedAt)})`
      : `a target is missed at ${failedAt} streams (${share(failedAt)}; ${reason}) and met at ${passedAt}`;
  return `saturation: ${found}; the workers declared ${declaredSlots} slots${describeAfter(declaredSlots, declaredAfter)}`;
}

function describeAfter(before: number, after: number | null): string {
  if (after === null) return '';
  const hasChanged = Math.abs(after - before) > CHANGED_SHARE * before;
  return ` before and ${after} after the ramp${hasChanged ? '. The speed of the machine changed. Run again.' : ''}`;
}
