import { ERRORS } from '@svc-asr/core';
import type { Refusal } from '@svc-asr/ledger';
import { RefusalLog } from './refusal-log.ts';
import type { RefusedRequest } from './refusal-log.ts';

const REQUEST: RefusedRequest = {
  tenant: 'acme',
  keyId: '8fK2pQ9xLm',
  requestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  method: 'POST',
  route: '/v1/asr/sessions',
  status: 400,
  code: 'invalid_parameters',
  message: 'model: must be text',
  model: 'svc-asr-kikuyu-v1',
};
const PER_MINUTE = 20;
const MAX_WAITING = 1000;

let written: Map<string, readonly Refusal[]>;
let dropped: Record<string, number>;
let isAvailable: boolean;
let log: RefusalLog;
beforeEach(() => {
  [written, dropped, isAvailable] = [new Map(), {}, true];
  log = new RefusalLog({
    ledger: {
      now: () => 1_800_000_000_000.4,
      refusals: {
        add: (tenant, refusals) => {
          if (!isAvailable) return Promise.reject(new Error('Redis is unavailable'));
          written.set(tenant, refusals);
          return Promise.resolve();
        },
        list: () => Promise.resolve([]),
      },
    },
    metrics: {
      refusalsDropped: {
        add: (count: number, { reason }: { reason: string }) => (dropped[reason] = (dropped[reason] ?? 0) + count),
      },
    } as never,
  });
});

test('RefusalLog keeps a refusal in memory until the next write, and writes it only once, with the time of the Redis clock', async () => {
  log.record(REQUEST);
  expect(written.size).toBe(0);
  await log.write();
  const { tenant, route, ...rest } = REQUEST;
  expect(written.get(tenant)).toEqual([{ ...rest, path: route, atMs: 1_800_000_000_000 }]);
  written.clear();
  await log.write();
  expect(written.size).toBe(0);
});

test('RefusalLog omits the default message of an error code, and stores any other message as one line of at most 300 characters without secrets', async () => {
  const key = `svc_live_v1_8fK2pQ9xLm_${'a'.repeat(38)}`;
  log.record({ ...REQUEST, message: ERRORS.invalid_parameters.message });
  log.record({ ...REQUEST, message: `${key}: unknown\nfield ${'x'.repeat(400)}` });
  await log.write();
  const [first, second] = written.get('acme') ?? [];
  expect(first?.message).toBeUndefined();
  expect(second?.message).toHaveLength(300);
  expect(second?.message).toContain(': unknown field xxx');
  expect(second?.message).not.toContain('a'.repeat(38));
});

test.each(['a model', 'x'.repeat(129), '', 'm\nn', `svc_live_v1_8fK2pQ9xLm_${'a'.repeat(38)}`])(
  'RefusalLog does not store the model %j, because it is not a valid model name',
  async (model) => {
    log.record({ ...REQUEST, model });
    await log.write();
    expect(written.get('acme')?.[0]?.model).toBeNull();
  },
);

test('RefusalLog records a burst of 20 refusals of one tenant, drops further refusals of that tenant, and still records refusals of other tenants', async () => {
  for (let count = 0; count < PER_MINUTE + 5; count++) log.record(REQUEST);
  log.record({ ...REQUEST, tenant: 'other' });
  await log.write();
  expect(written.get('acme')).toHaveLength(PER_MINUTE);
  expect(written.get('other')).toHaveLength(1);
  expect(dropped).toEqual({ tenant_limit: 5 });
});

test('RefusalLog keeps at most 1,000 refusals in memory until they are written', async () => {
  for (let tenant = 0; tenant < MAX_WAITING + 7; tenant++) log.record({ ...REQUEST, tenant: `t-${tenant}` });
  expect(dropped).toEqual({ gateway_limit: 7 });
  await log.write();
  expect(written.size).toBe(MAX_WAITING);
  log.record({ ...REQUEST, tenant: 'next' });
  await log.write();
  expect(written.has('next')).toBe(true);
});

test('RefusalLog drops refusals while Redis is unavailable', async () => {
  isAvailable = false;
  log.record(REQUEST);
  await log.write();
  expect(dropped).toEqual({ redis_unavailable: 1 });
  isAvailable = true;
  await log.write();
  expect(written.size).toBe(0);
});
