import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Placement } from '@svc-asr/ledger';
import { createMetrics } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import { createGatewayMetrics } from '../../metrics.ts';
import { StreamWatch } from '../../telemetry/stream-watch.ts';
import { Recognition } from './recognition.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { Utterances } from './utterances.ts';

const watch = new StreamWatch({
  metrics: createGatewayMetrics(createMetrics('gateway')),
  trace: undefined,
  model: 'm',
  requestedAtMs: 0,
});
const SESSION = { sessionId: 's', tenant: 't', model: 'm', maxWaitMs: 60_000, watch } as StreamSession;

/** A stream that asks `place` for its worker. */
function seek(place: () => Promise<Placement>) {
  const told: string[] = [];
  const parts = {
    ledger: { pools: { place } },
    times: { placeMs: 1, statusMs: 1_000_000, workerAvoidMs: 50 },
    ticker: { add: () => undefined, remove: () => undefined },
    tallies: { countStream: () => undefined, countDelta: () => undefined },
    logger: { error: () => told.push('logged') },
  } as unknown as StreamParts;
  const recognition = new Recognition(parts, SESSION, new Utterances(), [56, 13], {
    onWait: () => told.push('wait'),
    onPlaced: () => told.push('placed'),
    onOpened: () => told.push('opened'),
    onAnswer: () => told.push('answer'),
    onContextRefused: () => told.push('context refused'),
    onFailed: (code) => told.push(code),
  });
  return { told, recognition };
}

test('a stream that Redis refuses to place fails, and only that', async () => {
  const { told } = seek(() => Promise.reject(new Error('NOPERM')));
  await eventually('it is given up', 20_000, () => told.length > 1);
  expect(told).toEqual(['logged', 'internal_error']);
});

test('a stream waits for Redis as for a worker, and no longer when it is over', async () => {
  let asked = 0;
  const { told, recognition } = seek(() => {
    asked++;
    return Promise.reject(new LedgerUnavailable('away'));
  });
  await eventually('it asks again', 20_000, () => asked > 2);
  recognition.stop();
  const then = asked;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(asked).toBeLessThanOrEqual(then + 1);
  expect(told).toEqual(['wait']);
});
