import type { Limits } from '../lib/latency-targets.ts';
import { judgeStep } from '../lib/ramp.ts';
import type { Ramp, StepMeasurement } from '../lib/ramp.ts';
import { METRICS } from '../lib/thresholds.ts';
import { countOf, distributionOf } from './k6-metrics.ts';
import type { K6Metrics } from './k6-metrics.ts';

/** A step of a ramp and its measurements. */
export interface Step extends StepMeasurement {
  readonly streams: number;
  /** Reasons why the step failed. Empty if it passed. */
  readonly failures: readonly string[];
}

/** Result of a ramp. */
export interface Saturation {
  /** Largest number of streams at which all targets were met, or 0 if the first step failed. */
  readonly passedAt: number;
  /** Number of streams of the step that failed, or null if no step failed. */
  readonly failedAt: number | null;
  readonly reason: string;
  readonly steps: readonly Step[];
}

/**
 * Limit of the relative difference between two measurements of slots. Above it, the speed of the machine counts as
 * changed.
 */
export const CHANGED_SHARE = 0.1;

/** Returns the number of streams of each step, in order. */
export function stepsOf(declaredSlots: number, percent: { start: number; step: number; max: number }): number[] {
  const steps = new Set<number>();
  for (let share = percent.start; share <= percent.max; share += percent.step) {
    steps.add(Math.max(1, Math.round((declaredSlots * share) / 100)));
  }
  return [...steps];
}

/** Derives the result of a ramp from the metrics of its steps. A ramp ends with the first step that fails. */
export function concludeRamp({ steps: all }: Pick<Ramp, 'steps'>, limits: Limits, metrics: K6Metrics): Saturation {
  const measured = all.map((streams): Step => {
    const p95 = (target: keyof Limits) => distributionOf(metrics, METRICS.latencyAt(target, streams)).p95;
    const measurement = {
      latencies: { delta: p95('delta'), final: p95('final'), ready: p95('ready') },
      refused: countOf(metrics, METRICS.refusedAt(streams)),
    };
    return { streams, ...measurement, failures: judgeStep(measurement, limits) };
  });
  const failedIndex = measured.findIndex(({ failures }) => failures.length > 0);
  const steps = failedIndex === -1 ? measured : measured.slice(0, failedIndex + 1);
  const failed = measured[failedIndex];
  const passed = steps.filter((step) => step !== failed);
  return {
    passedAt: passed.at(-1)?.streams ?? 0,
    failedAt: failed?.streams ?? null,
    reason: failed?.failures.join(', ') ?? 'all targets were met up to the last step',
    steps,
  };
}

/** Describes the result in one line. */
export function describeSaturation(
  { passedAt, failedAt, reason }: Saturation,
  declaredSlots: number,
  declaredAfter: number | null,
): string {
  const share = (streams: number) => `${Math.round((100 * streams) / declaredSlots)} %`;
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
