import { call } from './lib/call.ts';
import { optionsOf, streaming } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';
import { buildThresholds, PROMISES } from './lib/promises.ts';

/** The promise of deltas for each context by itself: a small one must not profit at the cost of a large one. */
const perContext = Object.fromEntries(
  plan.contexts.map((context) => [
    `${PROMISES.delta.metric}{context:${context.join('-')}}`,
    [`p(95)<=${plan.limits.delta}`],
  ]),
);

export const options = optionsOf(
  { mixed: streaming(plan.streams, plan.durationSeconds) },
  { ...buildThresholds(plan.limits), ...perContext },
);

export default function (): Promise<void> {
  return call();
}
