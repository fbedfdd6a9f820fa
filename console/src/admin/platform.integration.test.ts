import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

const MODEL = {
  apiVersion: 'asr.svc.dev/v1',
  kind: 'ASRModel',
  metadata: { name: 'kikuyu' },
  spec: {
    language: 'Kikuyu',
    languageCode: 'ki',
    artifact: { path: '/models/ki' },
    worker: {},
    scaling: { min: 1, max: 3 },
  },
};
const ENTRY = { id: 'luo', language: 'Dholuo', languageCode: 'luo', maxAudioSeconds: 300, maxWaitSeconds: 60 };

let console_: TestEnvironment;
beforeEach(async () => {
  console_ = await startTestEnvironment({ operator: false, env: { KEY_ACTIVATION_TIMEOUT_MS: '0' } });
  writeFileSync(join(console_.readFolder, 'model.yaml'), stringify(MODEL));
});
afterEach(() => console_.stop());

const get = (path: string) => console_.call('GET', `/admin/v1/${path}`);

test('GET models returns models that are defined or served, with their workers, streams and queue', async () => {
  const { ledger } = console_;
  await ledger.catalogue.replace([ENTRY]);
  await ledger.workers.register('luo', { id: 'w1', address: 'ws://w1', revision: 'r1', slots: 1 });
  for (let streams = 0; streams < 2; streams++) {
    await ledger.pools.place('luo', { sessionId: randomUUID(), tenant: 'acme' });
  }
  expect(await get('models')).toMatchObject({
    status: 200,
    body: {
      ledger_available: true,
      data: [
        { name: 'kikuyu', language: 'Kikuyu', served: false, scaling: { min: 1, max: 3 }, pool: { workers: [] } },
        {
          name: 'luo',
          language: 'Dholuo',
          served: true,
          pool: { slots: 1, active: 1, waiting: 1, workers: [{ id: 'w1', revision: 'r1', slots: 1, active: 1 }] },
        },
      ],
    },
  });
});

test('GET health returns the status of Redis, resources, gateways and queues', async () => {
  const { ledger } = console_;
  await ledger.catalogue.replace([ENTRY]);
  await ledger.identity.claim('ledger-1');
  await ledger.gateways.renew(await ledger.gateways.join('gateway-1'), 7);
  const { status, body } = await get('health');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    redis: { reachable: true, nodes: [{ limit_bytes: 0, policy: 'noeviction' }], has_ledger: true },
    resources: { kind: 'files', reachable: true },
    gateways: [{ id: 'gateway-1', streams: 0, free_streams: 7 }],
    queues: [{ model: 'luo', waiting: 0, active: 0, slots: 0, workers: 0 }],
    operator: null,
    waiting_audit_entries: 0,
  });
  expect(body.redis.nodes[0].used_bytes).toBeGreaterThan(0);
});

test('GET health reports a Redis without a ledger', async () => {
  expect((await get('health')).body.redis).toMatchObject({ reachable: true, has_ledger: false });
});

test('GET models and GET health return 200 while Redis is unavailable, without the parts that come from Redis', async () => {
  await console_.redis.kill();
  await console_.call('PUT', '/admin/v1/tenants/x', { body: { displayName: 'x' } });
  expect(await get('models')).toMatchObject({
    status: 200,
    body: { ledger_available: false, data: [{ name: 'kikuyu', pool: null }] },
  });
  expect(await get('health')).toMatchObject({
    status: 200,
    body: {
      redis: { reachable: false, latency_ms: null, has_ledger: null },
      resources: { reachable: true },
      gateways: null,
      queues: null,
      waiting_audit_entries: 1,
    },
  });
});

test('GET tenants selects tenants by state and by a part of the name or the contact', async () => {
  const put = (name: string, spec: object) =>
    console_.call('PUT', `/admin/v1/tenants/${name}`, { body: { displayName: name, ...spec } });
  await put('acme', { state: 'Active', contact: { email: 'wanjiku@acme.example' } });
  await put('echo', { state: 'Suspended' });
  const names = async (query: string) =>
    (await get(`tenants?${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names('')).toEqual(['acme', 'echo']);
  expect(await names('state=Suspended')).toEqual(['echo']);
  expect(await names('search=WANJIKU')).toEqual(['acme']);
  expect(await names('search=e&state=Active')).toEqual(['acme']);
  for (const query of ['state=Gone', `search=${'x'.repeat(201)}`]) {
    expect((await get(`tenants?${query}`)).status).toBe(400);
  }
});

test('POST grants stores a note of up to 500 characters, which GET of the tenant returns', async () => {
  await console_.call('PUT', '/admin/v1/tenants/acme', { body: { displayName: 'acme' } });
  const grant = (body: object) => console_.call('POST', '/admin/v1/tenants/acme/grants', { body });
  const note = 'n'.repeat(500);
  expect((await grant({ id: 'fix', audio_seconds: -5, note })).status).toBe(201);
  expect((await grant({ audio_seconds: 1, note: `${note}x` })).status).toBe(400);
  expect((await get('tenants/acme')).body.spec.grants).toEqual([{ id: 'fix', audioSeconds: -5, note }]);
});

test('POST decline accepts a reason of up to 1000 characters, and also a request without a body', async () => {
  await console_.call('PUT', '/admin/v1/tenants/acme', { body: { displayName: 'acme' } });
  const decline = (body?: object) => console_.call('POST', '/admin/v1/applications/acme/decline', body && { body });
  expect((await decline({ reason: 'x'.repeat(1001) })).status).toBe(400);
  expect((await decline()).body).toMatchObject({ decline_reason: null, spec: { state: 'Declined' } });
  const reason = 'x'.repeat(1000);
  expect((await decline({ reason })).body).toMatchObject({ decline_reason: reason });
});
