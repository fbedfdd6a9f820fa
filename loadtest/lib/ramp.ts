import { LATENCY_TARGETS } from './latency-targets.ts';
import type { LatencyTargetName, Limits } from './latency-targets.ts';

/** Schedule of the scenario ramp-to-saturation. */
export interface Ramp {
  /** Number of streams of each step, in order. */
  readonly steps: readonly number[];
  readonly stepSeconds: number;
  /** Time at the start of each step in which nothing is measured, because streams are still opening. */
  readonly settleSeconds: number;
}

/** Measurements of a step. Latencies are 95th percentiles in milliseconds, or null if there were no events. */
export interface StepMeasurement {
  readonly latencies: Readonly<Record<LatencyTargetName, number | null>>;
  readonly refused: number;
}

/** Returns the index of the step at this time after the start. It may be greater than the index of the last step. */
export function stepAt({ stepSeconds }: Ramp, elapsedMs: number): number {
  return Math.floor(elapsedMs / (stepSeconds * 1000));
}

/**
 * Returns the tag for measurements at this time after the start. It is the number of streams of the step, or '' while
 * the step settles and after the last step.
 */
export function stepTag(ramp: Ramp, elapsedMs: number): string {
  const isSettling = elapsedMs % (ramp.stepSeconds * 1000) < ramp.settleSeconds * 1000;
  return isSettling ? '' : String(ramp.steps[stepAt(ramp, elapsedMs)] ?? '');
}

/** Returns the reasons why a step failed. Empty if it passed. */
export function judgeStep({ latencies, refused }: StepMeasurement, limits: Limits): string[] {
  const failures = LATENCY_TARGETS.flatMap((target) => {
    const p95 = latencies[target];
    // A step without ready events does not fail, because sessions may be longer than a step.
    if (p95 === null) return target === 'ready' ? [] : [`no ${target} arrived`];
    return p95 > limits[target] ? [`${target} p95 ${Math.round(p95)} ms > ${limits[target]} ms`] : [];
  });
  return refused > 0 ? [...failures, `${refused} sessions refused`] : failures;
}
