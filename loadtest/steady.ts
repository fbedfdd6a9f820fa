import { call } from './lib/call.ts';
import { buildK6Options, constantStreams } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';
import { buildThresholds } from './lib/latency-targets.ts';

export const options = buildK6Options(
  { steady: constantStreams(plan.streams, plan.durationSeconds) },
  buildThresholds(plan.limits),
);

export default function (): Promise<void> {
  return call();
}
