import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Placement } from '@svc-asr/ledger';
import { createMetrics } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import { createGatewayMetrics } from '../../metrics.ts';
import { StreamWatch } from '../../telemetry/stream-watch.ts';
import { Recognition } from './recognition.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { Utterances } from './utterances.ts';
import { createWorkerTrust } from './worker-trust.ts';

const watch = new StreamWatch({
  metrics: createGatewayMetrics(createMetrics('gateway')),
  trace: undefined,
  model: 'm',
  requestedAtMs: 0,
});
const SESSION = { sessionId: 's', tenant: 't', model: 'm', maxWaitMs: 60_000, watch } as StreamSession;

/** Starts the recognition of a stream that requests its worker from `place`. */
function startRecognition(place: () => Promise<Placement>) {
  const events: string[] = [];
  const parts = {
    ledger: { pools: { place } },
    times: { placeMs: 1, statusMs: 1_000_000, workerAvoidMs: 50 },
    ticker: { add: () => undefined, remove: () => undefined },
    tallies: { countStream: () => undefined, countDelta: () => undefined },
    workerTrust: createWorkerTrust({ caFile: '/ca.crt', serverName: 'workers.internal' }),
    logger: { error: () => events.push('logged'), info: () => events.push('moved') },
  } as unknown as StreamParts;
  const recognition = new Recognition(parts, SESSION, new Utterances(), [56, 13], {
    onWait: () => events.push('wait'),
    onPlaced: () => events.push('placed'),
    onOpened: () => events.push('opened'),
    onAnswer: () => events.push('answer'),
    onContextRefused: () => events.push('context refused'),
    onFailed: (code) => events.push(code),
  });
  return { events, recognition };
}

test('Recognition fails its own stream with internal_error when Redis rejects the placement', async () => {
  const { events } = startRecognition(() => Promise.reject(new Error('NOPERM')));
  await eventually('the stream fails', 20_000, () => events.length > 1);
  expect(events).toEqual(['logged', 'internal_error']);
});

test('Recognition retries the placement while Redis is unavailable, until it is stopped', async () => {
  let requests = 0;
  const { events, recognition } = startRecognition(() => {
    requests++;
    return Promise.reject(new LedgerUnavailable('unavailable'));
  });
  await eventually('the placement is retried', 20_000, () => requests > 2);
  recognition.stop();
  const requestsAtStop = requests;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(requests).toBeLessThanOrEqual(requestsAtStop + 1);
  expect(events).toEqual(['wait']);
});

test('Recognition skips any number of workers that have not proved their identity, and then waits for another', async () => {
  let requests = 0;
  const { events, recognition } = startRecognition(() => {
    const id = `w${++requests}`;
    if (requests > 5) return Promise.reject(new LedgerUnavailable('unavailable'));
    return Promise.resolve({
      outcome: 'placed',
      worker: { id, revision: 'r', address: 'ws://10.0.0.1:8443' },
    } as Placement);
  });
  await eventually('the stream waits', 20_000, () => events.includes('wait'));
  recognition.stop();
  expect(events.filter((event) => event === 'moved')).toHaveLength(5);
  expect(events).not.toContain('internal_error');
});
