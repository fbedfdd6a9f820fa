import { sleep } from 'k6';
import { post } from 'k6/http';
import { call } from './call.ts';
import { plan } from './plan-file.ts';

/** Time after which a virtual user without a stream repeats its request. */
const RETRY_SECONDS = 2;
const OK = 200;

/** Runs one session, if the plan has no gate or the gate allows another stream. Waits otherwise. */
export async function callThroughGate(): Promise<void> {
  if (plan.gateUrl === '') return call();
  if (askGate('start') !== OK) {
    sleep(RETRY_SECONDS);
    return;
  }
  try {
    await call();
  } finally {
    askGate('end');
  }
}

function askGate(path: 'start' | 'end'): number {
  return post(`${plan.gateUrl}/${path}`, '', { tags: { name: 'gate' } }).status;
}
