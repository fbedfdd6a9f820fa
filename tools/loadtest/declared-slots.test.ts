import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetrics } from '@svc-asr/runtime';
import { METRICS } from '../../operator/src/metric-list.ts';
import { observe } from '../../operator/src/metrics.ts';
import { findSlots, readDeclaredSlots, SLOTS_METRIC } from './declared-slots.ts';

const pools = [
  { model: 'a', desired: 2, running: 2, ready: 2, slots: { total: 40, active: 1, reserved: 0, waiting: 0 } },
  { model: 'ab', desired: 0, running: 0, ready: 0, slots: undefined },
];
const nothing = { queueDepth: () => ({ ready: 0, inFlight: 0, delayed: 0 }), resourceKinds: () => [] };
const numbers = { invalidResources: () => 0, heldDeletions: () => 0, lastSyncSeconds: () => undefined };

let server: Server;
let url: string;
const metrics = createMetrics('operator');
beforeAll(async () => {
  observe(metrics.meter, {
    ...nothing,
    ...numbers,
    ledgerMissing: () => false,
    isLeader: () => true,
    pools: () => pools.map((pool) => ({ ...pool, startFailure: undefined })),
  });
  server = createServer((request, response) => metrics.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await metrics.stop();
});

test('the slots are those that the operator tells of the model', async () => {
  expect(SLOTS_METRIC).toBe(METRICS.poolSlots.name);
  expect(await readDeclaredSlots(url, 'a', 0)).toEqual({ slots: 40 });
});

test('of a model without workers it is said that there are none', async () => {
  expect(await readDeclaredSlots(url, 'ab', 0)).toEqual({
    problem: `the operator at ${url} knows of no worker of ab`,
  });
});

test('one address of a name that leads nowhere does not hide the others', async () => {
  // Where the name has one address only, this shows no more than the first test.
  expect(await readDeclaredSlots(url.replace('127.0.0.1', 'localhost'), 'a', 0)).toEqual({ slots: 40 });
});

test('an operator that is not there is named', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  expect(await readDeclaredSlots(`http://127.0.0.1:${port}`, 'a', 0)).toEqual({
    problem: expect.stringMatching(`^the operator does not tell: .*ECONNREFUSED 127.0.0.1:${port}$`),
  });
});

test('neither other labels nor other models disturb', () => {
  const page = `# TYPE ${SLOTS_METRIC} gauge\n${SLOTS_METRIC}{model="m2"} 7\n${SLOTS_METRIC}{x="y",model="m"} 5 1700000000000\n`;
  expect([findSlots(page, 'm'), findSlots(page, 'm2'), findSlots(page, 'other')]).toEqual([5, 7, 0]);
});
