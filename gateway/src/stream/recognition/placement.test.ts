import { findWorker } from './placement.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { createQuietWaiters } from '../../testing/waiters.ts';

const SESSION = { sessionId: 's', tenant: 't', model: 'm' } as StreamSession;

test('findWorker requests a worker with the priority of the tenant', async () => {
  const requests: unknown[] = [];
  const place = (_model: string, request: unknown) => {
    requests.push(request);
    return Promise.resolve({ outcome: 'placed', worker: { id: 'w' } });
  };
  const parts = { ledger: { pools: { place } }, waiters: createQuietWaiters(), times: {} } as unknown as StreamParts;
  const search = { untilMs: Infinity, avoid: () => [], onWait: () => undefined, isAbandoned: () => false };
  await findWorker(parts, { ...SESSION, priority: 'low' }, search);
  expect(requests).toMatchObject([{ sessionId: 's', tenant: 't', priority: 'low' }]);
});

test('findWorker waits while the only worker must be avoided, and then returns this worker', async () => {
  const worker = { id: 'only', address: 'ws://127.0.0.1:1', revision: 'r' };
  let avoidUntilMs = Infinity;
  let requests = 0;
  const place = (_model: string, { avoid }: { avoid: readonly string[] }) => {
    requests++;
    if (requests === 1) avoidUntilMs = performance.now() + 500;
    return Promise.resolve(avoid.includes('only') ? { outcome: 'waiting' } : { outcome: 'placed', worker });
  };
  const waiters = createQuietWaiters();
  const parts = { ledger: { pools: { place } }, waiters, times: { statusMs: 1_000_000 } } as unknown as StreamParts;
  const found = await findWorker(parts, SESSION, {
    untilMs: performance.now() + 60_000,
    avoid: () => (performance.now() < avoidUntilMs ? ['only'] : ['-']),
    onWait: () => undefined,
    isAbandoned: () => false,
  });
  expect([found, requests]).toEqual([worker, 2]);
});
