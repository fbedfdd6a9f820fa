import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '@svc-asr/core';
import { stringify } from 'yaml';
import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

const HOUR_MS = 3_600_000;
let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ env: { MAX_KEYS: '3', CACHE_MS: '0' }, operator: true });
});

afterAll(() => console_.stop());

/** Signs in as a new active tenant. */
async function signIn(name: string): Promise<Visitor> {
  const body = { displayName: name, state: 'Active', grants: [{ id: 'welcome', audioSeconds: 3600 }] };
  await console_.call('PUT', `/admin/v1/tenants/${name}`, { body });
  const link = await console_.call('POST', `/admin/v1/tenants/${name}/link`);
  const developer = createVisitor(console_.pageUrl);
  await developer.call('POST', 'sign-in', { token: link.body.token });
  return developer;
}

test('rotation creates a key with the same name, permissions and lifetime, and the old key expires after the overlap', async () => {
  const developer = await signIn('rotation');
  const limits = { name: 'production', scopes: ['sessions:create'], models: ['m1'] };
  const { body: old } = await developer.call('POST', 'keys', { ...limits, expires_in_days: 30 });
  const before = Date.now();
  const rotated = await developer.call('POST', `keys/${old.key_id}/rotate`, { overlap_hours: 2 });
  expect(rotated.status).toBe(201);
  expect(rotated.body).toMatchObject({ ...limits, replaces: old.key_id, active: true });
  expect(rotated.body.key).not.toBe(old.key);
  expect(Date.parse(rotated.body.expires_at) - before).toBeGreaterThanOrEqual(30 * 24 * HOUR_MS);

  const { body: list } = await developer.call('GET', 'keys');
  const [listedOld, listedNew] = [old.key_id, rotated.body.key_id].map((id) =>
    list.data.find((key: { key_id: string }) => key.key_id === id),
  );
  expect(listedOld).toMatchObject({ replaces: null, replaced_by: rotated.body.key_id });
  expect(listedNew).toMatchObject({ replaces: old.key_id, replaced_by: null });
  const endsAtMs = Date.parse(listedOld.expires_at);
  expect(endsAtMs).toBeGreaterThanOrEqual(before + 2 * HOUR_MS);
  expect(endsAtMs).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS);
  // Gateways read the new expiry in Redis.
  for (;;) {
    if ((await console_.ledger.apiKeys.find(old.key_id))?.expiresAtMs === endsAtMs) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test('rotation never makes the old key expire later than before, and the overlap is 24 hours by default', async () => {
  const developer = await signIn('overlap');
  const { body: short } = await developer.call('POST', 'keys', { expires_in_days: 1 });
  await developer.call('POST', `keys/${short.key_id}/rotate`, { overlap_hours: 720 });
  const find = async (id: string) =>
    (await developer.call('GET', 'keys')).body.data.find((key: { key_id: string }) => key.key_id === id);
  expect((await find(short.key_id)).expires_at).toBe(short.expires_at);
  await developer.call('DELETE', `keys/${short.key_id}`);
  const { body: endless } = await developer.call('POST', 'keys', {});
  const before = Date.now();
  const { body: next } = await developer.call('POST', `keys/${endless.key_id}/rotate`, {});
  expect(next.expires_at).toBeNull();
  const endsAtMs = Date.parse((await find(endless.key_id)).expires_at);
  expect(endsAtMs).toBeGreaterThanOrEqual(before + 24 * HOUR_MS);
  expect(endsAtMs).toBeLessThanOrEqual(Date.now() + 24 * HOUR_MS);
});

test.each([[-1], [721], [0.5], ['1']])('rotation refuses an overlap of %j hours', async (overlap) => {
  const developer = await signIn('invalid');
  const { body: list } = await developer.call('GET', 'keys');
  const key = list.data[0] ?? (await developer.call('POST', 'keys', {})).body;
  const refused = await developer.call('POST', `keys/${key.key_id}/rotate`, { overlap_hours: overlap });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_parameters']);
  expect((await developer.call('GET', 'keys')).body.data).toHaveLength(1);
});

test('rotation fails if the tenant already has the maximum number of keys, and does not find keys of other tenants', async () => {
  const developer = await signIn('limits');
  const keys = [];
  for (let count = 0; count < 3; count++) keys.push((await developer.call('POST', 'keys', {})).body);
  const refused = await developer.call('POST', `keys/${keys[0].key_id}/rotate`, {});
  expect([refused.status, refused.body.error.code]).toEqual([409, 'too_many_keys']);
  const other = await signIn('other');
  const foreign = await other.call('POST', `keys/${keys[0].key_id}/rotate`, {});
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'key_not_found']);
});

test('rotation of a key that a read-only file defines is refused and changes nothing', async () => {
  const developer = await signIn('files');
  const spec = { tenant: 'files', keyId: 'Abcdef1234', hash: 'a'.repeat(64), pepperId: 'p1', lastFour: 'wxyz' };
  const resource = { apiVersion: API_VERSION, kind: 'ApiKey', metadata: { name: 'abcdef1234' }, spec };
  writeFileSync(join(console_.readFolder, 'key.yaml'), stringify(resource));
  const refused = await developer.call('POST', 'keys/Abcdef1234/rotate', {});
  expect([refused.status, refused.body.error.code]).toEqual([409, 'read_only_resource']);
  expect((await developer.call('GET', 'keys')).body.data).toHaveLength(1);
});
