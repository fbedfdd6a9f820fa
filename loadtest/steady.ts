import { callThroughGate } from './lib/gate.ts';
import { buildK6Options, constantStreams } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

export { handleSummary } from './lib/load.ts';

export const options = buildK6Options({ steady: constantStreams(plan.users, plan.durationSeconds) });

export default function (): Promise<void> {
  return callThroughGate();
}
