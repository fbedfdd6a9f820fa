import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';

const DAY_MS = 86_400_000;
const EXPIRY = 'asr.svc.dev/link-expires-at';
const APPLICANT = { name: 'Achieng', email: 'achieng@example.org', use: 'captions' };

let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({
    env: { LINK_DAYS: '30', CACHE_MS: '0', APPLICATIONS_PER_HOUR: '100', KEY_ACTIVATION_TIMEOUT_MS: '0' },
    operator: false,
  });
});
afterAll(() => console_.stop());

const visitor = () => createVisitor(console_.pageUrl);

async function apply() {
  const developer = visitor();
  const { body } = await developer.call('POST', 'applications', APPLICANT);
  return { developer, tenant: String(body.tenant), token: String(body.token) };
}

const fileOf = (tenant: string) => join(console_.folder, `tenant-${tenant}.yaml`);
const readExpiry = (tenant: string) => parse(readFileSync(fileOf(tenant), 'utf8')).metadata.annotations[EXPIRY];
/** Writes the expiry of the link to the file of the tenant. Undefined removes it. */
function writeExpiry(tenant: string, value: string | undefined): void {
  const resource = parse(readFileSync(fileOf(tenant), 'utf8'));
  resource.metadata.annotations = { ...resource.metadata.annotations, [EXPIRY]: value };
  writeFileSync(fileOf(tenant), stringify(resource));
}
/** Returns the days from now until a time, rounded. */
const daysUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / DAY_MS);

test('a private link expires after LINK_DAYS, and the sessions of the link end at the same time', async () => {
  const { developer, tenant, token } = await apply();
  const { body } = await developer.call('GET', 'account');
  expect(daysUntil(body.link_expires_at)).toBe(30);
  writeExpiry(tenant, new Date(Date.now() - 1000).toISOString());
  expect((await developer.call('GET', 'account')).status).toBe(401);
  const late = await visitor().call('POST', 'sign-in', { token });
  expect([late.status, late.body.error.code]).toEqual([401, 'invalid_link']);

  const renewed = await console_.call('POST', `/admin/v1/tenants/${tenant}/link`);
  expect(daysUntil(renewed.body.expires_at)).toBe(30);
  expect((await visitor().call('POST', 'sign-in', { token: renewed.body.token })).status).toBe(200);
});

test('a session ends with its link if the link expires in less than 7 days', async () => {
  const { tenant, token } = await apply();
  writeExpiry(tenant, new Date(Date.now() + 3_600_000).toISOString());
  const { headers } = await visitor().call('POST', 'sign-in', { token });
  expect(Number(/Max-Age=(\d+)/.exec(headers.get('set-cookie') ?? '')?.[1])).toBeLessThanOrEqual(3600);
});

test('a link that an older console created gets its expiry at the next sign-in', async () => {
  const { tenant, token } = await apply();
  writeExpiry(tenant, undefined);
  expect((await visitor().call('POST', 'sign-in', { token })).status).toBe(200);
  const expiry = readExpiry(tenant);
  expect(daysUntil(expiry)).toBe(30);
  expect((await visitor().call('POST', 'sign-in', { token })).status).toBe(200);
  expect(readExpiry(tenant)).toBe(expiry);
});

test('POST link replaces the link, ends the sessions of other browsers and keeps the calling browser signed in', async () => {
  const { developer, token } = await apply();
  const other = visitor();
  await other.call('POST', 'sign-in', { token });
  const { status, body } = await developer.call('POST', 'link');
  expect([status, daysUntil(body.expires_at)]).toEqual([201, 30]);
  expect((await developer.call('GET', 'account')).status).toBe(200);
  expect((await other.call('GET', 'account')).status).toBe(401);
  expect((await other.call('POST', 'sign-in', { token })).status).toBe(401);
  expect((await other.call('POST', 'sign-in', { token: body.token })).status).toBe(200);
});

test('POST link returns 429 after 10 links of a tenant in an hour', async () => {
  const { developer } = await apply();
  const statuses = [];
  for (let at = 0; at < 11; at++) statuses.push((await developer.call('POST', 'link')).status);
  expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
});

test('DELETE link works even after the tenant has created the maximum number of links per hour', async () => {
  const { developer } = await apply();
  for (let at = 0; at < 11; at++) await developer.call('POST', 'link');
  expect((await developer.call('DELETE', 'link')).status).toBe(200);
});

test('DELETE link revokes the link and ends the sessions of all browsers, and a sign-out ends only the session of its browser', async () => {
  const { developer, tenant, token } = await apply();
  const [second, third] = [visitor(), visitor()];
  for (const each of [second, third]) await each.call('POST', 'sign-in', { token });
  const copied = createVisitor(console_.pageUrl, second.cookie());
  await second.call('DELETE', 'sign-in');
  for (const each of [second, copied]) expect((await each.call('GET', 'account')).status).toBe(401);
  expect((await developer.call('GET', 'account')).status).toBe(200);

  const revoked = await developer.call('DELETE', 'link');
  expect(revoked.body).toEqual({ object: 'link', tenant, revoked: true });
  for (const each of [developer, third]) expect((await each.call('GET', 'account')).status).toBe(401);
  expect((await visitor().call('POST', 'sign-in', { token })).status).toBe(401);
  const { body } = await console_.call('POST', `/admin/v1/tenants/${tenant}/link`);
  expect((await visitor().call('POST', 'sign-in', { token: body.token })).status).toBe(200);
});

describe('a sign-in code of the admin API', () => {
  const createCode = (tenant: string) => console_.call('POST', `/admin/v1/tenants/${tenant}/sign-in`);
  const signIn = async (token: unknown) => (await visitor().call('POST', 'sign-in', { token })).status;

  test('cannot be created if the link of the tenant has expired or was revoked', async () => {
    const { developer, tenant } = await apply();
    const { body: before } = await createCode(tenant);
    const expiry = readExpiry(tenant);
    writeExpiry(tenant, new Date(Date.now() - 1000).toISOString());
    const expired = await createCode(tenant);
    expect([expired.status, expired.body.error.code]).toEqual([409, 'link_expired']);
    expect(await signIn(before.token)).toBe(401);
    writeExpiry(tenant, expiry);
    await developer.call('DELETE', 'link');
    expect((await createCode(tenant)).body.error.code).toBe('link_expired');
  });

  test('is invalid after the tenant got a new link, and for a later tenant of the same name', async () => {
    const { tenant } = await apply();
    const { body: first } = await createCode(tenant);
    await console_.call('POST', `/admin/v1/tenants/${tenant}/link`);
    expect(await signIn(first.token)).toBe(401);

    const { body: second } = await createCode(tenant);
    const resource = parse(readFileSync(fileOf(tenant), 'utf8'));
    resource.metadata.creationTimestamp = new Date(Date.now() + 1000).toISOString();
    writeFileSync(fileOf(tenant), stringify(resource));
    expect(await signIn(second.token)).toBe(401);
  });

  test('signs in only once, and remains valid after a sign-in that failed because the tenant could not be read', async () => {
    const { tenant } = await apply();
    const { body } = await createCode(tenant);
    const text = readFileSync(fileOf(tenant), 'utf8');
    writeFileSync(fileOf(tenant), text.replace('kind: Tenant', 'kind: Unknown'));
    expect(await signIn(body.token)).toBe(409);
    writeFileSync(fileOf(tenant), text);
    expect(await signIn(body.token)).toBe(200);
    expect(await signIn(body.token)).toBe(401);
  });
});

test('DELETE sign-in clears the cookie even if the file of the tenant is read-only or no session exists', async () => {
  const { developer, tenant } = await apply();
  renameSync(fileOf(tenant), join(console_.readFolder, `tenant-${tenant}.yaml`));
  expect((await developer.call('GET', 'account')).status).toBe(200);
  for (const each of [developer, visitor()]) {
    const { status, headers, body } = await each.call('DELETE', 'sign-in');
    expect([status, body]).toEqual([200, { object: 'sign_in', tenant: null }]);
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
  }
});
