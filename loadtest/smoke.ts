import { call } from './lib/call.ts';
import { oneSessionEach, buildK6Options } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

/** No thresholds, because the machine may be busy. The command checks correctness after the run. */
export const options = buildK6Options({ smoke: oneSessionEach(plan.streams) });

export default function (): Promise<void> {
  return call();
}
