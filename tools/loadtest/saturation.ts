import type { Limits } from '../../loadtest/lib/latency-targets.ts';
import { judgeTargets, seriesOf } from './latencies.ts';
import type { Verdict } from './latencies.ts';
import type { Records } from './records.ts';

/** A step of a ramp and what was seen in it. */
export interface Step {
  readonly streams: number;
  readonly verdicts: readonly Verdict[];
  readonly refused: number;
  /** Why it does not hold; empty: it does. */
  readonly broken: readonly string[];
}

/** Where a ramp ended. */
export interface Saturation {
  readonly declaredSlots: number;
  /** What a worker like it declares that measures when the ramp is over; null: not known. */
  readonly declaredAfter: number | null;
  /** The most streams at which everything held; 0: not even the first step did. */
  readonly held: number;
  /** The streams at which a promise broke; null: none did up to the last step. */
  readonly broke: number | null;
  readonly reason: string;
  readonly steps: readonly Step[];
}

/** Slots that differ by more than this share from one measurement to the next were measured on a machine that others use. */
export const CHANGED_SHARE = 0.1;

/** The numbers of streams to try, from the first to the last. */
export function stepsOf(declaredSlots: number, percent: { start: number; step: number; max: number }): number[] {
  const steps = new Set<number>();
  for (let of = percent.start; of <= percent.max; of += percent.step) {
    steps.add(Math.max(1, Math.round((declaredSlots * of) / 100)));
  }
  return [...steps];
}

/** Judges what was seen from one moment to another while so many streams were open. */
export function judgeStep(records: Records, streams: number, fromMs: number, toMs: number, limits: Limits): Step {
  const verdicts = judgeTargets(seriesOf(records, fromMs, toMs), limits);
  const refused = records.refusals.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
  // Sessions may be longer than a step: that none became ready in it says nothing.
  const late = verdicts.filter(({ target, met, count }) => !met && (count > 0 || target !== 'ready'));
  const broken = late.map(({ target, p95, limitMs }) =>
    p95 === null ? `no ${target} came` : `${target} p95 ${Math.round(p95)} ms > ${limitMs} ms`,
  );
  return { streams, verdicts, refused, broken: refused > 0 ? [...broken, `${refused} sessions refused`] : broken };
}

/** What a ramp found, from its steps in order. */
export function concludeRamp(declaredSlots: number, steps: readonly Step[]): Saturation {
  const broken = steps.find((step) => step.broken.length > 0);
  const held = steps.filter((step) => step.broken.length === 0 && step.streams < (broken?.streams ?? Infinity));
  return {
    declaredSlots,
    declaredAfter: null,
    held: held.at(-1)?.streams ?? 0,
    broke: broken?.streams ?? null,
    reason: broken?.broken.join(', ') ?? 'every target held to the last step',
    steps,
  };
}

/** One line for a person. */
export function describeSaturation({ declaredSlots, declaredAfter, held, broke, reason }: Saturation): string {
  const share = (streams: number) => `${Math.round((100 * streams) / Math.max(1, declaredSlots))} %`;
  const found =
    broke === null
      ? `not reached: ${held} streams hold (${share(held)})`
      : `a target breaks at ${broke} streams (${share(broke)}; ${reason}), ${held} hold`;
  return `saturation: ${found}; the workers declared ${declaredSlots} slots${describeAfter(declaredSlots, declaredAfter)}`;
}

function describeAfter(before: number, after: number | null): string {
  if (after === null) return '';
  const hasChanged = Math.abs(after - before) > CHANGED_SHARE * before;
  return ` before and ${after} after it${hasChanged ? ': the machine changed its speed, run again' : ''}`;
}
