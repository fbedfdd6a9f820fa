import { call } from './lib/call.ts';
import { optionsOf, streaming } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

/** The spike comes when the regular load has been there for a third of the time. */
const startTime = `${Math.ceil(plan.durationSeconds / 3)}s`;

export const options = optionsOf({
  regular: streaming(plan.streams, plan.durationSeconds),
  spike: streaming(plan.spike.streams, plan.spike.seconds, { startTime }),
});

export default function (): Promise<void> {
  return call();
}
