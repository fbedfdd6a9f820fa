import { call } from './lib/call.ts';
import { buildK6Options, constantStreams } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

export { handleSummary } from './lib/load.ts';

export const options = buildK6Options({
  regular: constantStreams(plan.streams, plan.durationSeconds),
  noisy: constantStreams(plan.noisyStreams, plan.durationSeconds, { exec: 'noise' }),
});

export default function (): Promise<void> {
  return call();
}

/** Sends audio as fast as the service accepts it, session after session. */
export function noise(): Promise<void> {
  return call('noisy');
}
