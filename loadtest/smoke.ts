import { call } from './lib/call.ts';
import { once, optionsOf } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

/** No thresholds: the machine that runs this may be busy. What must be right is looked at after the run. */
export const options = optionsOf({ smoke: once(plan.streams) });

export default function (): Promise<void> {
  return call();
}
