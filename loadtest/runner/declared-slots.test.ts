import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetrics } from '@svc-asr/runtime';
import { METRICS } from '../../operator/src/metric-list.ts';
import { observe } from '../../operator/src/metrics.ts';
import { freePort } from '../../tools/start/ports.ts';
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
    redisMemory: () => undefined,
    journal: () => undefined,
    pools: () => pools.map((pool) => ({ ...pool, startFailure: undefined, failingNodes: [] })),
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

test('readDeclaredSlots returns the slots of the model from the metrics of the operator', async () => {
  expect(SLOTS_METRIC).toBe(METRICS.poolSlots.name);
  expect(await readDeclaredSlots(url, 'a', 0)).toBe(40);
});

test('readDeclaredSlots fails for a model without workers', async () => {
  await expect(readDeclaredSlots(url, 'ab', 0)).rejects.toThrow(`the operator at ${url} reports no worker of ab`);
});

test('readDeclaredSlots returns the slots even if one address of a host name refuses the connection', async () => {
  // If localhost has only one address on this machine, no address refuses the connection. The test then does not cover
  // a refused connection.
  expect(await readDeclaredSlots(url.replace('127.0.0.1', 'localhost'), 'a', 0)).toBe(40);
});

test('readDeclaredSlots fails if the operator is unavailable, and the error contains the address of the operator', async () => {
  const port = await freePort('127.0.0.1');
  await expect(readDeclaredSlots(`http://127.0.0.1:${port}`, 'a', 0)).rejects.toThrow(`ECONNREFUSED 127.0.0.1:${port}`);
});

test('findSlots ignores additional labels, and the slots of models other than the given model', () => {
  const page = `# TYPE ${SLOTS_METRIC} gauge\n${SLOTS_METRIC}{model="m2"} 7\n${SLOTS_METRIC}{x="y",model="m"} 5 1700000000000\n`;
  expect([findSlots(page, 'm'), findSlots(page, 'm2'), findSlots(page, 'other')]).toEqual([5, 7, 0]);
});
