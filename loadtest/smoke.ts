import { call } from './lib/call.ts';
import { buildK6Options, oneCallEach } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

export { handleSummary } from './lib/load.ts';

export const options = buildK6Options({ smoke: oneCallEach(plan.streams, 0) });

export default function (): Promise<void> {
  return call();
}
