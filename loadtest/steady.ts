import { call } from './lib/call.ts';
import { optionsOf, streaming } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';
import { buildThresholds } from './lib/promises.ts';

export const options = optionsOf(
  { steady: streaming(plan.streams, plan.durationSeconds) },
  buildThresholds(plan.limits),
);

export default function (): Promise<void> {
  return call();
}
