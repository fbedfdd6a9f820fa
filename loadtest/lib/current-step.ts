import execution from 'k6/execution';
import { plan } from './plan-file.ts';
import { stepTag } from './ramp.ts';

/** Returns the time since the start of the k6 scenario. It is the same for all virtual users. */
export function elapsedMs(): number {
  return Date.now() - execution.scenario.startTime;
}

/** Returns the value of the tag `step` for measurements of this moment. Empty in scenarios without a ramp. */
export function currentStep(): string {
  return plan.ramp === null ? '' : stepTag(plan.ramp, elapsedMs());
}
