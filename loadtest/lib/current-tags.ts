import execution from 'k6/execution';
import { plan } from './plan-file.ts';
import { periodTags } from './periods.ts';
import type { PeriodTags } from './periods.ts';
import { stepTag } from './ramp.ts';

const NO_PERIOD: PeriodTags = { period: '', half: '' };

/** Tags that depend on the time of a measurement. */
export interface TimeTags extends PeriodTags {
  /**
   * Number of streams of the current step. Empty in scenarios without a ramp, while a step settles, and after the last
   * step.
   */
  readonly step: string;
  readonly [tag: string]: string;
}

/** Returns the time since the start of the k6 scenario. It is the same for all virtual users. */
export function elapsedMs(): number {
  return Date.now() - execution.scenario.startTime;
}

/** Returns the tags for measurements of this moment. */
export function currentTags(): TimeTags {
  const { period, half } = plan.periods === null ? NO_PERIOD : periodTags(plan.periods, Date.now());
  return { period, half, step: plan.ramp === null ? '' : stepTag(plan.ramp, elapsedMs()) };
}
