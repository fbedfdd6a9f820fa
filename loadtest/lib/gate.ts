import { sleep } from 'k6';
import { post } from 'k6/http';
import { call } from './call.ts';
import { plan } from './plan-file.ts';

/** Time after which a virtual user without a stream asks the gate again. */
const RETRY_SECONDS = 2;
const OK = 200;

/**
 * Runs one session if the plan has no gate, or if the gate allows another stream. Otherwise only waits for
 * RETRY_SECONDS. The session ends early, after its current utterance, if the workers declare fewer slots and the gate
 * therefore allows fewer streams.
 */
export async function callThroughGate(): Promise<void> {
  if (plan.gateUrl === '') return call();
  if (askGate('start') !== OK) {
    sleep(RETRY_SECONDS);
    return;
  }
  const stream = { isCounted: true };
  const mayContinue = () => (stream.isCounted = askGate('continue') === OK);
  try {
    await call('regular', undefined, mayContinue);
  } finally {
    if (stream.isCounted) askGate('end');
  }
}

function askGate(path: 'start' | 'continue' | 'end'): number {
  return post(`${plan.gateUrl}/${path}`, '', { tags: { name: 'gate' } }).status;
}
