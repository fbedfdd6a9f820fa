import { call } from './lib/call.ts';
import { optionsOf, streaming } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';
import { buildThresholds } from './lib/promises.ts';

export const options = optionsOf(
  {
    regular: streaming(plan.streams, plan.durationSeconds),
    noisy: streaming(plan.noisyStreams, plan.durationSeconds, { exec: 'noise' }),
  },
  buildThresholds(plan.limits),
);

export default function (): Promise<void> {
  return call();
}

/** Sends as fast as the service takes it, session after session. */
export function noise(): Promise<void> {
  return call('noisy');
}
