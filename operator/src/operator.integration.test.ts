import { mkdirSync, renameSync } from 'node:fs';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import type { Ledger } from '@svc-asr/ledger';
import { eventually } from './testing/eventually.ts';
import { createTestFolder, openLedger, startTestOperator } from './testing/harness.ts';
import type { TestFolder, TestOperator } from './testing/harness.ts';
import { apiKey, model, tenant } from './testing/resources.ts';

let redis: TestRedis;
let ledger: Ledger;
let closeLedger: () => Promise<void>;
let folder: TestFolder;
const operators: TestOperator[] = [];

beforeEach(async () => {
  redis = await startRedis();
  ({ ledger, close: closeLedger } = openLedger(redis.url));
  await eventually(() => ledger.catalogue.read());
  folder = createTestFolder();
});

afterEach(async () => {
  for (const operator of operators.splice(0)) await operator.stop();
  await closeLedger();
  await redis.stop();
  folder.cleanUp();
});

async function start(env: NodeJS.ProcessEnv = {}, folders = [folder.path]): Promise<TestOperator> {
  const operator = await startTestOperator(folders, redis.url, env);
  operators.push(operator);
  return operator;
}

async function stop(operator: TestOperator): Promise<void> {
  operators.splice(operators.indexOf(operator), 1);
  await operator.stop();
}

const ready = (operator: TestOperator, withinMs?: number) =>
  eventually(async () => expect(await operator.get('/readyz')).toEqual({ status: 200, body: 'ok\n' }), withinMs);
const state = async (name: string) => (await ledger.accounts.read(name))?.state;
const catalogue = async () => (await ledger.catalogue.read())?.map(({ id }) => id);
const grants = [{ id: 'welcome', audioSeconds: 60 }];
const active = (name: string, spec: object = {}) => tenant(name, { state: 'Active', grants, ...spec });

test('the operator has written tenants, keys and models to Redis by the time it is ready', async () => {
  const expiresAt = '2030-01-01T00:00:00Z';
  folder.write('tenant.yaml', active('acme', { models: ['m1'], limits: { concurrentSessions: 2 }, priority: 'high' }));
  folder.write('keys.yaml', apiKey('8fK2pQ9xLm', 'acme', { expiresAt }), apiKey('0123456789', 'acme'));
  folder.write('models.yaml', model('m1'), model('m2', { scaling: { max: 0, maxWaitSeconds: 7 } }));
  await ready(await start());
  expect(await ledger.accounts.read('acme')).toMatchObject({
    state: 'Active',
    models: ['m1'],
    limits: { concurrentSessions: 2, sessionsPerMinute: 60, requestsPerMinute: 600 },
    priority: 'high',
    availableMs: 60_000,
    grantedMs: 60_000,
  });
  expect(await ledger.apiKeys.find('8fK2pQ9xLm')).toEqual({
    tenant: 'acme',
    hash: 'a'.repeat(64),
    pepperId: 'p1',
    expiresAtMs: Date.parse(expiresAt),
    revoked: false,
  });
  expect((await ledger.apiKeys.find('0123456789'))?.expiresAtMs).toBeNull();
  const shared = { language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300 };
  expect(await ledger.catalogue.read()).toEqual([
    { id: 'm1', ...shared, maxWaitSeconds: 120 },
    { id: 'm2', ...shared, maxWaitSeconds: 7 },
  ]);
  expect(await ledger.pools.claim('m1', 's1', Date.now() + 1000)).toBe(true);
  expect(await ledger.pools.claim('m2', 's2', Date.now() + 1000)).toBe(false);
});

test('the operator writes an empty catalogue when there are no models', async () => {
  await ready(await start());
  expect(await catalogue()).toEqual([]);
});

test('the operator applies a changed state and new grants to an existing tenant, and each grant only once', async () => {
  folder.write('tenant.yaml', active('acme'));
  const operator = await start({ RESYNC_SECONDS: '1' });
  await ready(operator);
  const more = [...grants, { id: 'more', audioSeconds: 10 }, { id: 'fix', audioSeconds: -5 }];
  folder.write('tenant.yaml', active('acme', { state: 'Suspended', grants: more }));
  await eventually(async () => expect(await state('acme')).toBe('Suspended'));
  await eventually(async () => expect((await ledger.accounts.read('acme'))?.grantedMs).toBe(65_000));
  folder.write('tenant.yaml', active('acme', { grants: [{ id: 'welcome', audioSeconds: 999 }] }));
  await eventually(async () => expect(await state('acme')).toBe('Active'));
  await eventually(() => expect(operator.lines.map(({ message }) => message).join()).toContain('has 999 s'));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect((await ledger.accounts.read('acme'))?.grantedMs).toBe(65_000);
  expect(operator.lines.filter(({ message }) => message.includes('has 999 s'))).toHaveLength(1);
  expect((await ledger.journal.read('acme', {})).filter(({ type }) => type === 'grant')).toHaveLength(3);
});

test('removing resources from the files closes the tenant, revokes the key and removes the model from the catalogue', async () => {
  folder.write('tenant.yaml', active('acme'));
  folder.write('key.yaml', apiKey('8fK2pQ9xLm', 'acme'));
  folder.write('models.yaml', model('m1'), model('m2'));
  await ready(await start());
  folder.remove('key.yaml');
  await eventually(async () => expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.revoked).toBe(true));
  folder.write('models.yaml', model('m2'));
  await eventually(async () => expect(await catalogue()).toEqual(['m2']));
  folder.remove('tenant.yaml');
  await eventually(async () => expect(await state('acme')).toBe('Deleted'));
  for (const [kind, names] of Object.entries({ Tenant: [], ApiKey: [], ASRModel: ['m2'] })) {
    await eventually(async () => expect([...(await ledger.registry.list(kind)).keys()]).toEqual(names));
  }
});

test('a recreated tenant resumes its account, and no grant is applied twice', async () => {
  folder.write('tenant.yaml', active('acme'));
  await ready(await start());
  folder.remove('tenant.yaml');
  await eventually(async () => expect(await state('acme')).toBe('Deleted'));
  folder.write('tenant.yaml', active('acme'));
  await eventually(async () => expect(await state('acme')).toBe('Active'));
  expect((await ledger.accounts.read('acme'))?.grantedMs).toBe(60_000);
});

test('an ApiKey replaces an earlier ApiKey whose key id differs only in letter case', async () => {
  folder.write('key.yaml', apiKey('ABCDEFGHIJ', 'acme'));
  await ready(await start());
  folder.write('key.yaml', apiKey('abcdefghij', 'acme'));
  await eventually(async () => expect((await ledger.apiKeys.find('abcdefghij'))?.revoked).toBe(false));
  expect((await ledger.apiKeys.find('ABCDEFGHIJ'))?.revoked).toBe(true);
});

test('an ApiKey whose tenant does not exist is stored, with a warning', async () => {
  folder.write('key.yaml', apiKey('8fK2pQ9xLm', 'nobody'));
  const operator = await start();
  await ready(operator);
  expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.tenant).toBe('nobody');
  // A warning without `key_id` is about Redis. The operator logs it if Redis was not connected when the operator
  // started.
  expect(operator.lines.filter(({ level, key_id }) => level === 'warn' && key_id !== undefined)).toMatchObject([
    { key_id: '8fK2pQ9xLm', tenant: 'nobody' },
  ]);
});

test('a starting operator deletes resources whose files were removed while no operator ran', async () => {
  folder.write('gone.yaml', active('gone'), apiKey('8fK2pQ9xLm', 'gone'), model('m1'));
  folder.write('stays.yaml', active('stays'), model('m2'));
  const first = await start();
  await ready(first);
  await stop(first);
  folder.remove('gone.yaml');
  await ready(await start());
  await eventually(async () => expect(await state('gone')).toBe('Deleted'));
  expect([await state('stays'), await catalogue()]).toEqual(['Active', ['m2']]);
  expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.revoked).toBe(true);
});

test('a starting operator deletes nothing that an invalid file or a missing folder may still define', async () => {
  const other = createTestFolder();
  folder.write('a.yaml', active('a'), apiKey('8fK2pQ9xLm', 'a'), model('m1'));
  folder.write('b.yaml', active('b'), model('m2'));
  other.write('c.yaml', active('c'), model('m3'));
  const first = await start({}, [folder.path, other.path]);
  await ready(first);
  await stop(first);
  folder.writeText('a.yaml', 'kind: [');
  renameSync(other.path, `${other.path}.aside`);

  const second = await start({}, [folder.path, other.path]);
  await ready(second);
  folder.remove('b.yaml');
  await eventually(async () => expect(await state('b')).toBe('Deleted'));
  await eventually(async () => expect(await catalogue()).toEqual(['m1', 'm3']));
  expect([await state('a'), await state('c')]).toEqual(['Active', 'Active']);
  expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.revoked).toBe(false);
  const held = /^svc_asr_operator_held_deletions(\{[^}]*\})? 5( |$)/m;
  await eventually(async () => expect((await second.get('/metrics')).body).toMatch(held));

  mkdirSync(other.path);
  folder.write('a.yaml', model('m1'));
  await eventually(async () => expect([await state('a'), await state('c')]).toEqual(['Deleted', 'Deleted']));
  await eventually(async () => expect(await catalogue()).toEqual(['m1']));
  other.cleanUp();
});

test('an invalid file changes nothing, and the error log names its file and field', async () => {
  folder.write('tenant.yaml', active('acme'));
  const operator = await start();
  await ready(operator);
  folder.write('tenant.yaml', active('acme', { state: 'Suspended', limits: { concurrentSessions: 0 } }));
  const line = await eventually(() => {
    const found = operator.lines.find(({ file }) => file === `${folder.path}/tenant.yaml`);
    expect(found).toBeDefined();
    return found;
  });
  expect(line).toMatchObject({
    level: 'error',
    problems: [{ field: 'spec.limits.concurrentSessions' }],
  });
  expect(await state('acme')).toBe('Active');
});

test('while Redis is unavailable, the operator reports that it is not ready, and applies pending changes when Redis is back', async () => {
  folder.write('tenant.yaml', active('acme'));
  await redis.kill();
  const operator = await start();
  expect(await operator.get('/livez')).toEqual({ status: 200, body: 'ok\n' });
  await eventually(async () =>
    expect(await operator.get('/readyz')).toEqual({ status: 503, body: 'Redis does not answer\n' }),
  );
  await redis.restart();
  await ready(operator);
  await eventually(async () => expect(await state('acme')).toBe('Active'));

  await redis.kill();
  await eventually(async () => expect((await operator.get('/readyz')).status).toBe(503));
  folder.write('tenant.yaml', active('acme', { state: 'Suspended' }));
  folder.write('other.yaml', active('other'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  folder.remove('other.yaml');
  folder.write('third.yaml', active('third'));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await redis.restart();
  await eventually(async () => expect([await state('acme'), await state('third')]).toEqual(['Suspended', 'Active']));
  expect(await state('other')).toBeUndefined();
  await ready(operator);
});

test('a resync restores the catalogue and the record of a Tenant in Redis, but keeps a revoked key revoked', async () => {
  folder.write('all.yaml', active('acme'), apiKey('8fK2pQ9xLm', 'acme'), model('m1'));
  await ready(await start({ RESYNC_SECONDS: '1' }));
  await ledger.apiKeys.revoke('8fK2pQ9xLm');
  await ledger.catalogue.replace([]);
  await ledger.registry.remove('Tenant', 'acme');
  await eventually(async () => expect(await catalogue()).toEqual(['m1']));
  await eventually(async () => expect([...(await ledger.registry.list('Tenant')).keys()]).toEqual(['acme']));
  expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.revoked).toBe(true);
});

test('the operator reports reconciles, resources, queue depth and invalid resources in its metrics', async () => {
  folder.write('all.yaml', active('acme'), model('m1'), model('m2'));
  folder.writeText('bad.yaml', 'nonsense');
  const operator = await start();
  await ready(operator);
  const { body } = await operator.get('/metrics');
  const value = (name: string, ...labels: string[]) => {
    const lines = body.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.find((line) => labels.every((label) => line.includes(label)))?.split(' ')[1];
  };
  const reconciles = value('svc_asr_operator_reconciles_total', 'kind="ASRModel"', 'result="success"');
  expect(Number(reconciles)).toBeGreaterThanOrEqual(2);
  expect(Number(value('svc_asr_operator_reconcile_duration_seconds_count', 'kind="Tenant"'))).toBeGreaterThanOrEqual(1);
  expect(value('svc_asr_operator_resources', 'kind="ASRModel"')).toBe('2');
  expect(value('svc_asr_operator_queue_depth', 'state="ready"')).toBe('0');
  expect(value('svc_asr_operator_invalid_resources')).toBe('1');
  expect(Number(value('svc_asr_operator_last_sync_timestamp_seconds'))).toBeGreaterThan(Date.now() / 1000 - 60);
});

const HUNDREDS_MS = 240_000;
test(
  'the operator reconciles hundreds of resources of each kind, even if it is stopped several times before it is done',
  async () => {
    const names = Array.from({ length: 300 }, (_, n) => `n${n}`);
    folder.write('tenants.yaml', ...names.map((name) => active(name)));
    folder.write('models.yaml', ...names.map((name) => model(name)));
    folder.write('keys.yaml', ...names.map((name, n) => apiKey(String(n).padStart(10, '0'), name)));
    for (const ms of [200, 300, 400]) {
      const operator = await start();
      await new Promise((resolve) => setTimeout(resolve, ms));
      await stop(operator);
    }
    await ready(await start(), HUNDREDS_MS);
    expect(await catalogue()).toEqual([...names].sort());
    const sum = await Promise.all(names.map(async (name) => (await ledger.accounts.read(name))?.grantedMs));
    expect(new Set(sum)).toEqual(new Set([60_000]));
  },
  HUNDREDS_MS,
);
