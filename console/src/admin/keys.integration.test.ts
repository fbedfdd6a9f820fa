import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiKey } from '@svc-asr/core';
import { parse } from 'yaml';
import { PEPPER } from '../testing/console.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { startTestOperator } from '../testing/operator.ts';

let console_: TestEnvironment;
let operator: ReturnType<typeof startTestOperator> | undefined;

beforeAll(async () => {
  console_ = await startTestEnvironment({ env: { KEY_ACTIVATION_TIMEOUT_MS: '6000' }, operator: false });
});

beforeEach(async () => {
  operator = startTestOperator(console_.ledger, [console_.readFolder, console_.folder]);
  await call('PUT', '/admin/v1/tenants/acme', { body: { displayName: 'Acme', state: 'Active' } });
});

afterEach(async () => operator?.stop());

afterAll(() => console_.stop());

const call: typeof console_.call = (...args) => console_.call(...args);
const create = (body: object) => call('POST', '/admin/v1/keys', { body });
const fileOf = (keyId: string) => join(console_.folder, `apikey-${keyId.toLowerCase()}.yaml`);

test('POST keys stores only the hash of the new key, and returns the key as soon as gateways accept it', async () => {
  const { status, headers, body } = await create({ tenant: 'acme', name: 'production' });
  expect(status).toBe(201);
  expect(headers.get('cache-control')).toBe('no-store');
  const { key, key_id: keyId } = body;
  expect(parseApiKey(key)).toBe(keyId);
  expect(body).toMatchObject({
    object: 'api_key',
    tenant: 'acme',
    tenant_state: 'Active',
    name: 'production',
    prefix: key.slice(0, 22),
    last_four: key.slice(-4),
    expires_at: null,
    active: true,
  });
  const hash = createHmac('sha256', PEPPER).update(key).digest('hex');
  expect(await console_.ledger.apiKeys.find(keyId)).toMatchObject({
    tenant: 'acme',
    hash,
    pepperId: 'p1',
    revoked: false,
  });
  expect(parse(readFileSync(fileOf(keyId), 'utf8'))).toMatchObject({
    kind: 'ApiKey',
    metadata: { name: keyId.toLowerCase() },
    spec: { tenant: 'acme', displayName: 'production', keyId, hash, pepperId: 'p1' },
  });
  expect(statSync(fileOf(keyId)).mode & 0o777).toBe(0o600);
  const secret = key.slice(23, 55);
  const written = readdirSync(console_.folder).map((file) => readFileSync(join(console_.folder, file), 'utf8'));
  const list = await call('GET', '/admin/v1/keys');
  expect(written.join('') + console_.output() + list.text).not.toContain(secret);
});

test('POST keys returns "active": false if the operator has not copied the key to Redis in time', async () => {
  await operator?.stop();
  const startedAt = performance.now();
  const { status, body } = await create({ tenant: 'acme' });
  expect([status, body.active]).toEqual([201, false]);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(399);
});

test('GET keys lists the keys of a tenant without their secrets', async () => {
  await call('PUT', '/admin/v1/tenants/other', { body: { displayName: 'Other' } });
  const mine = (await create({ tenant: 'other', name: 'n' })).body;
  await console_.ledger.apiKeys.touch(mine.key_id);
  const { body } = await call('GET', '/admin/v1/keys?tenant=other');
  expect(mine.tenant_state).toBe('Waitlisted');
  expect(body.data).toHaveLength(1);
  expect(Object.keys(body.data[0]).sort()).toEqual(
    [
      'object',
      'replaces',
      'replaced_by',
      'key_id',
      'prefix',
      'last_four',
      'tenant',
      'name',
      'created_at',
      'expires_at',
      'last_used_at',
      'scopes',
      'models',
      'read_only',
    ].sort(),
  );
  expect(body.data[0]).toMatchObject({ key_id: mine.key_id, name: 'n', last_used_at: expect.stringMatching(/Z$/) });
  expect((await call('GET', '/admin/v1/keys?tenant=nobody')).body.error.code).toBe('tenant_not_found');
  expect((await call('GET', '/admin/v1/keys?tennant=other')).body.error.code).toBe('invalid_parameters');
});

test('DELETE keys deletes the resource and waits until gateways reject the key', async () => {
  const { key_id: keyId } = (await create({ tenant: 'acme' })).body;
  const wrongCase = keyId === keyId.toLowerCase() ? keyId.toUpperCase() : keyId.toLowerCase();
  expect((await call('DELETE', `/admin/v1/keys/${wrongCase}`)).status).toBe(404);
  const { status, body } = await call('DELETE', `/admin/v1/keys/${keyId}`);
  expect([status, body.key_id, body.revoked, body.applied]).toEqual([200, keyId, true, true]);
  expect((await console_.ledger.apiKeys.find(keyId))?.revoked).toBe(true);
  expect(existsSync(fileOf(keyId))).toBe(false);
  expect((await call('DELETE', `/admin/v1/keys/${keyId}`)).body.error.code).toBe('key_not_found');
  await call('PUT', '/admin/v1/tenants/acme', { body: { displayName: 'Acme 2', state: 'Active' } });
  expect((await console_.ledger.apiKeys.find(keyId))?.revoked).toBe(true);
});

test('DELETE keys returns "applied": false if the revocation does not reach Redis in time', async () => {
  const { key_id: keyId } = (await create({ tenant: 'acme' })).body;
  await operator?.stop();
  expect((await call('DELETE', `/admin/v1/keys/${keyId}`)).body).toMatchObject({ revoked: true, applied: false });
});

test('a damaged key file is reported without the text of the file, and the key can still be revoked', async () => {
  const { body } = await create({ tenant: 'acme' });
  const file = fileOf(body.key_id);
  writeFileSync(file, 'spec: {hash: "0123abcd\n');
  for (const path of ['/admin/v1/keys', '/admin/v1/tenants']) {
    const list = await call('GET', path);
    expect(list.body.unreadable).toEqual([{ file, problem: expect.stringMatching(/\w/) }]);
    expect(list.text).not.toContain('0123abcd');
  }
  const revoked = await call('DELETE', `/admin/v1/keys/${body.key_id}`);
  expect([revoked.status, revoked.body]).toEqual([
    200,
    { object: 'api_key', key_id: body.key_id, revoked: true, applied: true },
  ]);
  expect(existsSync(file)).toBe(false);
  expect((await call('GET', '/admin/v1/keys')).body.unreadable).toEqual([]);
});

test('DELETE keys rejects a key of a read-only folder', async () => {
  const { key_id: keyId } = (await create({ tenant: 'acme' })).body;
  writeFileSync(join(console_.readFolder, 'key.yaml'), readFileSync(fileOf(keyId)));
  const answer = await call('DELETE', `/admin/v1/keys/${keyId}`);
  expect([answer.status, answer.body.error.code]).toEqual([409, 'read_only_resource']);
});

test.each([
  [{ tenant: 'acme', expires_in_days: 1 }, 201],
  [{ tenant: 'acme', expires_in_days: 0 }, 400],
  [{ tenant: 'acme', expires_in_days: 3650 }, 201],
  [{ tenant: 'acme', expires_in_days: 3651 }, 400],
  [{ tenant: 'acme', expires_in_days: 1.5 }, 400],
  [{ tenant: 'acme', expires_at: '2999-01-01T00:00:00Z' }, 201],
  [{ tenant: 'acme', expires_at: '2020-01-01T00:00:00Z' }, 400],
  [{ tenant: 'acme', expires_at: '2999-01-01' }, 400],
  [{ tenant: 'acme', expires_at: null }, 201],
  [{ tenant: 'acme', expires_in_days: 1, expires_at: '2999-01-01T00:00:00Z' }, 400],
  [{ tenant: 'acme', name: 'x'.repeat(200) }, 201],
  [{ tenant: 'acme', name: 'x'.repeat(201) }, 400],
  [{ tenant: 'acme', key: 'svc_live_v1_mine' }, 400],
  [{ tenant: 'acme', scopes: [] }, 400],
  [{ tenant: 'acme', scopes: null }, 400],
  [{ tenant: 'acme', models: [] }, 400],
  [{ tenant: 'acme', models: ['Not_A_Name'] }, 400],
  [{ tenant: 'nobody' }, 404],
  [{ tenant: '../acme' }, 404],
  [{}, 400],
])('POST keys with %j returns %i', async (body, status) => {
  expect((await create(body)).status).toBe(status);
});

test('POST keys passes the expiry to the ledger', async () => {
  const before = Date.now();
  const { body } = await create({ tenant: 'acme', expires_in_days: 90 });
  const record = await console_.ledger.apiKeys.find(body.key_id);
  expect(record?.expiresAtMs).toBe(Date.parse(body.expires_at));
  expect(Date.parse(body.expires_at) - before - 90 * 86_400_000).toBeLessThan(10_000);
});

test('POST keys passes scopes and models to the ledger, and GET keys returns them', async () => {
  const limits = { scopes: ['usage:read'], models: ['m1', 'm2'] };
  const { status, body } = await create({ tenant: 'acme', ...limits });
  expect([status, body]).toMatchObject([201, limits]);
  expect(await console_.ledger.apiKeys.find(body.key_id)).toMatchObject(limits);
  const { body: unlimited } = await create({ tenant: 'acme' });
  const { data } = (await call('GET', '/admin/v1/keys?tenant=acme')).body;
  const listed = new Map<string, object>(data.map((key: { key_id: string }) => [key.key_id, key]));
  expect(listed.get(body.key_id)).toMatchObject(limits);
  expect(listed.get(unlimited.key_id)).toMatchObject({ scopes: null, models: null });
});

test('POST keys refuses an unknown scope, and the error lists the valid scopes', async () => {
  const { status, body } = await create({ tenant: 'acme', scopes: ['usage:read', 'keys:write'] });
  expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
  expect(body.error.message).toBe('scopes.1: must be one of sessions:create, usage:read.');
});
