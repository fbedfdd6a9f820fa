import { sleep } from 'k6';
import execution from 'k6/execution';
import { get } from 'k6/http';
import { call } from './lib/call.ts';
import { buildK6Options, constantStreams } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';

const POLL_SECONDS = 1;

/** Starts the virtual users of the last step. The command's control server decides how many of them stream. */
export const options = buildK6Options({ ramp: constantStreams(plan.streams, plan.durationSeconds) });

export default async function (): Promise<void> {
  const user = execution.vu.idInTest;
  const { body } = get(`${plan.controlUrl}/?user=${user}`, { tags: { name: 'control' } });
  if (user <= Number(body)) await call();
  else sleep(POLL_SECONDS);
}
