import { call } from './lib/call.ts';
import { buildK6Options, constantStreams } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';
import { buildThresholds, LATENCY_TARGETS } from './lib/latency-targets.ts';

/** The delta target of each context separately, so that a small context does not gain at the cost of a large one. */
const perContext = Object.fromEntries(
  plan.contexts.map((context) => [
    `${LATENCY_TARGETS.delta.metric}{context:${context.join('-')}}`,
    [`p(95)<=${plan.limits.delta}`],
  ]),
);

export const options = buildK6Options(
  { mixed: constantStreams(plan.streams, plan.durationSeconds) },
  { ...buildThresholds(plan.limits), ...perContext },
);

export default function (): Promise<void> {
  return call();
}
