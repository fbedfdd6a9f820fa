import { call } from './lib/call.ts';
import { buildK6Options, constantRequests, constantStreams } from './lib/load.ts';
import { WARM_UP_SECONDS } from './lib/periods.ts';
import { plan } from './lib/plan-file.ts';
import { createAndDelete } from './lib/session.ts';

export { handleSummary } from './lib/load.ts';

/**
 * Number of additional sessions per second that are created and deleted without opening a stream. The streams alone
 * create too few sessions for a percentile of the creation latency.
 */
const CREATED_PER_SECOND = 10;
const seconds = WARM_UP_SECONDS + plan.durationSeconds;

/**
 * The load of the regular tenants. Another k6 process runs noise.ts, so that the noise does not delay the measurements.
 */
export const options = buildK6Options({
  regular: constantStreams(plan.streams, seconds),
  create: constantRequests(CREATED_PER_SECOND, seconds, 'create'),
});

export default function (): Promise<void> {
  return call();
}

export function create(): void {
  createAndDelete();
}
