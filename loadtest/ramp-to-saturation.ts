import { sleep } from 'k6';
import execution from 'k6/execution';
import { get } from 'k6/http';
import { call } from './lib/call.ts';
import { optionsOf, streaming } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

const ASK_AGAIN_SECONDS = 1;

/** As many virtual users as the last step would need; how many of them speak is the command's decision. */
export const options = optionsOf({ ramp: streaming(plan.streams, plan.durationSeconds) });

export default async function (): Promise<void> {
  const user = execution.vu.idInTest;
  const { body } = get(`${plan.controlUrl}/?user=${user}`, { tags: { name: 'control' } });
  if (user <= Number(body)) await call();
  else sleep(ASK_AGAIN_SECONDS);
}
