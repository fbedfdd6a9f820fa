import { call } from './lib/call.ts';
import { buildK6Options, constantStreams } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

export { handleSummary } from './lib/load.ts';

/** Time at which the spike starts: after a third of the duration. */
const startTime = `${Math.ceil(plan.durationSeconds / 3)}s`;

export const options = buildK6Options({
  regular: constantStreams(plan.streams, plan.durationSeconds),
  spike: constantStreams(plan.spike.streams, plan.spike.seconds, { startTime }),
});

export default function (): Promise<void> {
  return call();
}
