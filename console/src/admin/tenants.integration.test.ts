import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: true });
});

afterAll(() => console_.stop());

const call: typeof console_.call = (...args) => console_.call(...args);
const put = (name: string, body: unknown, headers = {}) => call('PUT', `/admin/v1/tenants/${name}`, { body, headers });
const fileOf = (name: string) => join(console_.folder, `tenant-${name}.yaml`);

test('PUT creates a tenant, writes one private YAML file and responds when the operator has applied it', async () => {
  const spec = { displayName: 'Acme Radio', state: 'Active', grants: [{ id: 'welcome', audioSeconds: 3600 }] };
  const { status, body } = await put('acme', spec);
  expect(status).toBe(201);
  expect(body).toMatchObject({ object: 'tenant', name: 'acme', read_only: false, applied: true });
  expect(body.spec.limits).toEqual({ concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 });
  expect(parse(readFileSync(fileOf('acme'), 'utf8'))).toMatchObject({
    kind: 'Tenant',
    metadata: { name: 'acme' },
    spec,
  });
  expect(statSync(fileOf('acme')).mode & 0o777).toBe(0o600);
  expect(statSync(console_.folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(console_.folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('GET of a tenant returns its spec, and its credits and live sessions from the ledger', async () => {
  await put('shown', { displayName: 'S', state: 'Active' });
  await call('POST', '/admin/v1/tenants/shown/grants', { body: { id: 'g', audio_seconds: 10 } });
  const { body } = await call('GET', '/admin/v1/tenants/shown');
  expect(body.ledger_available).toBe(true);
  expect(body.account).toEqual({
    state: 'Active',
    credits: { unit: 'audio_millisecond', granted_ms: 10_000, available_ms: 10_000, reserved_ms: 0, consumed_ms: 0 },
    live_sessions: 0,
  });
  const list = await call('GET', '/admin/v1/tenants');
  expect(list.body.data.map((tenant: { name: string }) => tenant.name)).toContain('shown');
});

test('PUT of a tenant replaces its spec and keeps the grants that the request does not list', async () => {
  await put('replaced', { displayName: 'R', state: 'Active', grants: [{ id: 'a', audioSeconds: 1 }] });
  const created = parse(readFileSync(fileOf('replaced'), 'utf8')).metadata.creationTimestamp;
  const spec = { displayName: 'R2', state: 'Suspended', grants: [{ id: 'b', audioSeconds: 2 }] };
  const { status, body } = await put('replaced', spec);
  expect(status).toBe(200);
  expect(body).toMatchObject({ applied: true, created_at: created, account: { state: 'Suspended' } });
  expect(body.spec.grants.map((grant: { id: string }) => grant.id)).toEqual(['a', 'b']);
  const changed = await put('replaced', { displayName: 'R', grants: [{ id: 'a', audioSeconds: 5 }] });
  expect([changed.status, changed.body.error.code]).toEqual([409, 'grant_conflict']);
});

test('PATCH changes only the fields in the request body, removes fields that are null in it, and keeps grants', async () => {
  const limits = { concurrentSessions: 9, models: [{ model: 'm1', concurrentSessions: 3 }] };
  const budget = { monthlyAudioSeconds: 60 };
  await put('patched', { displayName: 'P', state: 'Active', limits, budget, grants: [{ id: 'a', audioSeconds: 1 }] });
  const patch = (body: unknown) => call('PATCH', '/admin/v1/tenants/patched', { body });
  const changed = await patch({ priority: 'high', limits: { concurrentSessions: 5 }, budget: null });
  expect([changed.status, changed.body.applied]).toEqual([200, true]);
  expect(changed.body.spec).toEqual({
    displayName: 'P',
    state: 'Active',
    models: ['*'],
    priority: 'high',
    limits: { ...limits, concurrentSessions: 5, sessionsPerMinute: 60, requestsPerMinute: 600 },
    grants: [{ id: 'a', audioSeconds: 1 }],
  });
  expect(await console_.ledger.accounts.read('patched')).toMatchObject({ priority: 'high', grantedMs: 1000 });
  const invalid = await patch({ priority: 'urgent' });
  expect([invalid.status, invalid.body.error.message]).toEqual([
    400,
    expect.stringMatching(/priority: must be one of/),
  ]);
  expect((await patch([])).status).toBe(400);
  const missing = await call('PATCH', '/admin/v1/tenants/nobody', { body: {} });
  expect([missing.status, missing.body.error.code]).toEqual([404, 'tenant_not_found']);
});

test('PATCH accepts application/merge-patch+json, which PUT refuses with 415', async () => {
  await put('typed', { displayName: 'T' });
  const headers = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
  const body = { displayName: 'U' };
  const changed = await call('PATCH', '/admin/v1/tenants/typed', { body, headers });
  expect([changed.status, changed.body.spec.displayName]).toEqual([200, 'U']);
  expect((await call('PUT', '/admin/v1/tenants/typed', { body, headers })).status).toBe(415);
  const text = { 'content-type': 'application/xmerge-patch+json' };
  expect((await call('PATCH', '/admin/v1/tenants/typed', { body, headers: text })).status).toBe(415);
});

test('PUT with If-None-Match: * does not change an existing tenant', async () => {
  expect((await put('once', { displayName: 'First' }, { 'if-none-match': '*' })).status).toBe(201);
  const second = await put('once', { displayName: 'Second' }, { 'if-none-match': '*' });
  expect([second.status, second.body.error.code]).toEqual([412, 'tenant_exists']);
  expect((await call('GET', '/admin/v1/tenants/once')).body.spec.displayName).toBe('First');
});

test.each([
  ['ok', {}, /displayName: is required/],
  ['ok', { displayName: 'x', extra: 1 }, /extra: is not a known field/],
  ['ok', { displayName: 'x', state: 'active' }, /state: must be one of/],
  ['ok', { displayName: 'x', limits: { concurrentSessions: 0 } }, /limits.concurrentSessions: must be at least 1/],
  ['ok', { displayName: 'x'.repeat(201) }, /displayName/],
  ['ok', [], /must be object/],
  ['Bad_Name', { displayName: 'x' }, /metadata.name/],
  ['..%2Fescape', { displayName: 'x' }, /metadata.name/],
  ['x'.repeat(64), { displayName: 'x' }, /metadata.name/],
])('PUT rejects %s with %j and writes nothing', async (name, body, message) => {
  const answer = await put(name, body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_parameters']);
  expect(answer.body.error.message).toMatch(message);
  expect(readdirSync(console_.folder).some((file) => file.includes('ok') || file.includes('escape'))).toBe(false);
});

test.each([
  ['x'.repeat(63), 'x'.repeat(200)],
  ['a', 'b'],
])('PUT accepts a tenant name and a display name of the shortest and the longest length', async (name, displayName) => {
  expect((await put(name, { displayName })).status).toBe(201);
});

test('POST grants adds only one grant per id, and generates an id if the request has none', async () => {
  await put('granted', { displayName: 'G', state: 'Active' });
  const grant = (body: object) => call('POST', '/admin/v1/tenants/granted/grants', { body });
  const first = await grant({ id: 'may', audio_seconds: 60 });
  expect([first.status, first.body]).toEqual([
    201,
    { object: 'grant', tenant: 'granted', id: 'may', audio_seconds: 60, applied: true },
  ]);
  const again = await grant({ id: 'may', audio_seconds: 60 });
  expect([again.status, again.body.id, again.body.applied]).toEqual([200, 'may', undefined]);
  const other = await grant({ id: 'may', audio_seconds: 61 });
  expect([other.status, other.body.error.code]).toEqual([409, 'grant_conflict']);
  const unnamed = await grant({ audio_seconds: 40 });
  expect(unnamed.body).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), applied: true });
  expect((await console_.ledger.accounts.read('granted'))?.grantedMs).toBe(100_000);
});

test('each of several concurrent POST grants requests adds its grant', async () => {
  await put('busy', { displayName: 'B', state: 'Active' });
  const grants = Array.from({ length: 20 }, (_, n) => ({ id: `g${n}`, audio_seconds: 1 }));
  const answers = await Promise.all(grants.map((body) => call('POST', '/admin/v1/tenants/busy/grants', { body })));
  expect(answers.map(({ status }) => status)).toEqual(grants.map(() => 201));
  expect((await console_.ledger.accounts.read('busy'))?.grantedMs).toBe(20_000);
});

test.each([
  [{ audio_seconds: 1_000_000_000 }, 201],
  [{ audio_seconds: 1_000_000_001 }, 400],
  [{ audio_seconds: -1_000_000_000 }, 201],
  [{ audio_seconds: -1_000_000_001 }, 400],
  [{ audio_seconds: 1.5 }, 400],
  [{ audio_seconds: 1 }, 201],
  [{ audio_seconds: 0 }, 400],
  [{ audio_seconds: -1 }, 201],
  [{ id: 'x'.repeat(63), audio_seconds: 1 }, 201],
  [{ id: 'x'.repeat(64), audio_seconds: 1 }, 400],
  [{ id: '-x', audio_seconds: 1 }, 400],
  [{ id: '', audio_seconds: 1 }, 400],
  [{}, 400],
  [{ audio_seconds: 1, seconds: 1 }, 400],
])('POST grants with %j returns %i', async (body, status) => {
  await put('edges', { displayName: 'E', state: 'Active' });
  expect((await call('POST', '/admin/v1/tenants/edges/grants', { body })).status).toBe(status);
});

test('POST grants rejects the 1001st grant of a tenant', async () => {
  const grants = Array.from({ length: 999 }, (_, n) => ({ id: `g${n}`, audioSeconds: 1 }));
  await put('full', { displayName: 'F', state: 'Active', grants });
  const grant = (id: string) => call('POST', '/admin/v1/tenants/full/grants', { body: { id, audio_seconds: 1 } });
  expect((await grant('last')).status).toBe(201);
  const over = await grant('over');
  expect([over.status, over.body.error.code]).toEqual([409, 'too_many_grants']);
  expect((await grant('last')).status).toBe(200);
});

test('a tenant of a read-only folder can be read and cannot be written', async () => {
  const text =
    'apiVersion: asr.svc.dev/v1\nkind: Tenant\nmetadata: {name: local}\nspec: {displayName: L, state: Active}\n';
  writeFileSync(join(console_.readFolder, 'tenants.yaml'), text);
  expect((await call('GET', '/admin/v1/tenants/local')).body).toMatchObject({ name: 'local', read_only: true });
  const grant = { body: { audio_seconds: 1 } };
  for (const answer of [
    await put('local', { displayName: 'Other' }),
    await call('DELETE', '/admin/v1/tenants/local'),
    await call('POST', '/admin/v1/tenants/local/grants', grant),
  ]) {
    expect([answer.status, answer.body.error.code]).toEqual([409, 'read_only_resource']);
    expect(answer.body.error.message).toContain('tenants.yaml');
  }
});

test('a damaged tenant file is reported and not overwritten', async () => {
  writeFileSync(fileOf('broken'), 'kind: [');
  const answer = await put('broken', { displayName: 'B' });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'unreadable_resource']);
  expect(answer.body.error.message).toContain('tenant-broken.yaml');
  expect(readFileSync(fileOf('broken'), 'utf8')).toBe('kind: [');
  expect((await call('GET', '/admin/v1/tenants')).status).toBe(200);
});

test('DELETE revokes the keys of a tenant, and creating the tenant again neither grants its credit twice nor restores its keys', async () => {
  await put('gone', { displayName: 'G', state: 'Active', grants: [{ id: 'a', audioSeconds: 5 }] });
  const key = await call('POST', '/admin/v1/keys', { body: { tenant: 'gone' } });
  const { status, body } = await call('DELETE', '/admin/v1/tenants/gone');
  expect([status, body]).toEqual([
    200,
    { object: 'tenant', name: 'gone', deleted: true, keys_revoked: 1, applied: true },
  ]);
  expect((await call('GET', '/admin/v1/tenants/gone')).status).toBe(404);
  expect((await call('DELETE', '/admin/v1/tenants/gone')).body.error.code).toBe('tenant_not_found');
  await put('gone', { displayName: 'G', state: 'Active', grants: [{ id: 'a', audioSeconds: 5 }] });
  expect((await console_.ledger.accounts.read('gone'))?.grantedMs).toBe(5000);
  expect((await console_.ledger.apiKeys.find(key.body.key_id))?.revoked).toBe(true);
});
