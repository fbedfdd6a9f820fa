import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVisitor } from '../testing/visitor.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

let console_: TestEnvironment;

const APPLICANT = {
  name: 'Achieng',
  email: 'achieng@example.org',
  organisation: 'Nam Lolwe FM',
  use: 'Captions for radio',
};

beforeAll(async () => {
  console_ = await startTestEnvironment({
    env: { APPLICATIONS_PER_HOUR: '1000', MAX_APPLICATIONS: '12', MAX_KEYS: '3' },
    operator: true,
  });
});

afterAll(() => console_.stop());

const visitor = () => createVisitor(console_.pageUrl);
const admin: typeof console_.call = (...args) => console_.call(...args);

/** Creates a developer whose application was approved. */
async function approved(seconds = 60) {
  const developer = visitor();
  const { body } = await developer.call('POST', 'applications', APPLICANT);
  await admin('POST', `/admin/v1/applications/${body.tenant}/approve`, { body: { audio_seconds: seconds } });
  return { developer, tenant: String(body.tenant), token: String(body.token) };
}

test('a developer can apply for an account, be approved, and create and revoke a key that gateways know', async () => {
  const developer = visitor();
  const applied = await developer.call('POST', 'applications', APPLICANT);
  expect(applied.status).toBe(201);
  const { tenant, token } = applied.body;
  expect(applied.body).toEqual({ object: 'application', tenant, state: 'Waitlisted', token });
  expect(tenant).toMatch(/^nam-lolwe-fm-[0-9a-z]{6}$/);
  expect(applied.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);

  const waiting = await developer.call('GET', 'account');
  expect(waiting.body).toMatchObject({ state: 'Waitlisted', contact: APPLICANT, display_name: 'Nam Lolwe FM' });
  const early = await developer.call('POST', 'keys', { name: 'early' });
  expect([early.status, early.body.error.code]).toEqual([403, 'not_approved']);

  const list = await admin('GET', '/admin/v1/applications');
  expect(list.body.data).toContainEqual(expect.objectContaining({ name: tenant }));
  const approval = await admin('POST', `/admin/v1/applications/${tenant}/approve`, { body: {} });
  expect([approval.status, approval.body.applied]).toEqual([200, true]);
  expect((await admin('GET', '/admin/v1/applications')).body.data).not.toContainEqual(
    expect.objectContaining({ name: tenant }),
  );

  const account = await developer.call('GET', 'account');
  expect(account.body).toMatchObject({
    state: 'Active',
    account: { credits: { available_ms: 3_600_000 }, live_sessions: 0 },
    limits: { concurrent_sessions: 1 },
    api_url: 'https://localhost:8443',
    api_ca_file: null,
  });
  const created = await developer.call('POST', 'keys', { name: 'production', expires_in_days: 90 });
  expect([created.status, created.body.active, created.body.name]).toEqual([201, true, 'production']);
  expect(created.body.key).toMatch(new RegExp(`^${created.body.prefix}`));
  expect((await console_.ledger.apiKeys.find(created.body.key_id))?.tenant).toBe(tenant);

  const keys = await developer.call('GET', 'keys');
  expect(keys.body.data).toMatchObject([{ key_id: created.body.key_id, name: 'production', last_used_at: null }]);
  expect(keys.text).not.toContain(created.body.key);
  const revoked = await developer.call('DELETE', `keys/${created.body.key_id}`);
  expect(revoked.body).toMatchObject({ revoked: true, applied: true });
  expect((await developer.call('GET', 'keys')).body.data).toEqual([]);

  const stored = readdirSync(console_.folder).map((file) => readFileSync(join(console_.folder, file), 'utf8'));
  expect(stored.join()).not.toContain(token.split('.')[1]);
  expect(console_.output()).not.toContain(token.split('.')[1]);
  expect(console_.output()).not.toContain(APPLICANT.email);
});

test('a private link signs a developer in from another browser until an administrator replaces the link', async () => {
  const { tenant, token } = await approved();
  const other = visitor();
  expect((await other.call('GET', 'account')).body.error.code).toBe('not_signed_in');
  expect((await other.call('POST', 'sign-in', { token })).body).toEqual({ object: 'sign_in', tenant });
  expect((await other.call('GET', 'account')).body.name).toBe(tenant);
  await other.call('DELETE', 'sign-in');
  expect((await other.call('GET', 'account')).status).toBe(401);

  await other.call('POST', 'sign-in', { token });
  const renewed = await admin('POST', `/admin/v1/tenants/${tenant}/link`);
  expect(renewed.body).toMatchObject({ object: 'link', tenant, path: `/#${renewed.body.token}` });
  expect((await other.call('GET', 'account')).status).toBe(401);
  expect((await visitor().call('POST', 'sign-in', { token })).body.error.code).toBe('invalid_link');
  expect((await visitor().call('POST', 'sign-in', { token: renewed.body.token })).status).toBe(200);
  // A second approval must not restore the old link.
  await admin('POST', `/admin/v1/applications/${tenant}/approve`, { body: {} });
  expect((await visitor().call('POST', 'sign-in', { token: renewed.body.token })).status).toBe(200);
  // A second approval with another amount must fail, because the first amount stays.
  const more = await admin('POST', `/admin/v1/applications/${tenant}/approve`, { body: { audio_seconds: 61 } });
  expect([more.status, more.body.error.code]).toEqual([409, 'application_decided']);
  expect((await console_.ledger.accounts.read(tenant))?.grantedMs).toBe(60_000);
});

test('a developer can neither list nor revoke the keys of another tenant', async () => {
  const [one, other] = [await approved(), await approved()];
  const { body } = await one.developer.call('POST', 'keys', { name: 'mine' });
  expect((await other.developer.call('GET', 'keys')).body.data).toEqual([]);
  const refused = await other.developer.call('DELETE', `keys/${body.key_id}`);
  expect([refused.status, refused.body.error.code]).toEqual([404, 'key_not_found']);
  expect((await console_.ledger.apiKeys.find(body.key_id))?.revoked).toBe(false);
});

test('creating a key fails with 409 if the tenant already has MAX_KEYS keys', async () => {
  const { developer } = await approved();
  const created = [];
  for (let key = 0; key < 4; key++) created.push(await developer.call('POST', 'keys', {}));
  expect(created.map(({ status }) => status)).toEqual([201, 201, 201, 409]);
  expect(created.at(-1)?.body.error.code).toBe('too_many_keys');
  await developer.call('DELETE', `keys/${created[0]?.body.key_id}`);
  expect((await developer.call('POST', 'keys', {})).status).toBe(201);
});

test('a declined applicant keeps the tenant and the session, cannot create keys, and can be approved later', async () => {
  const developer = visitor();
  const { body } = await developer.call('POST', 'applications', APPLICANT);
  const path = `/admin/v1/applications/${body.tenant}`;
  expect((await admin('POST', `${path}/decline`)).body).toMatchObject({ applied: true, spec: { state: 'Declined' } });
  expect((await developer.call('GET', 'account')).body.state).toBe('Declined');
  expect((await developer.call('POST', 'keys', {})).status).toBe(403);
  expect((await admin('POST', `${path}/approve`, { body: {} })).status).toBe(200);
  const late = await admin('POST', `${path}/decline`);
  expect([late.status, late.body.error.code]).toEqual([409, 'application_decided']);
});

test.each([
  [{}, /name: is required.*email: is required.*use: is required/],
  [{ ...APPLICANT, name: '   ' }, /name: must be one line of text/],
  [{ ...APPLICANT, name: 'two\nlines' }, /name/],
  [{ ...APPLICANT, name: 'x'.repeat(201) }, /name/],
  [{ ...APPLICANT, email: 'nobody' }, /^email: must be an email address such as name@example.org\.$/],
  [{ ...APPLICANT, email: 'a b@example.org' }, /email/],
  [{ ...APPLICANT, email: 'a\u001b@example.org' }, /email/],
  [{ ...APPLICANT, email: 'a@example' }, /email/],
  [{ ...APPLICANT, use: 'x'.repeat(4001) }, /use/],
  [{ ...APPLICANT, use: 'bell \u0007' }, /use/],
  [{ ...APPLICANT, organisation: 'two\nlines' }, /organisation/],
  [{ ...APPLICANT, state: 'Active' }, /state: is not a known field/],
])('POST applications rejects %j and writes nothing', async (body, message) => {
  const before = readdirSync(console_.folder).length;
  const answer = await visitor().call('POST', 'applications', body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_parameters']);
  expect(answer.body.error.message).toMatch(message);
  expect(readdirSync(console_.folder)).toHaveLength(before);
});

test('POST applications accepts fields of the maximum length, and several lines of text in the field "use"', async () => {
  const longest = { name: 'x'.repeat(200), email: `${'e'.repeat(308)}@example.org`, use: `a\n\t${'x'.repeat(3997)}` };
  const { status, body } = await visitor().call('POST', 'applications', longest);
  expect(status).toBe(201);
  await admin('DELETE', `/admin/v1/tenants/${body.tenant}`);
});

test('the console port rejects writes that come from pages of other sites', async () => {
  const { developer } = await approved();
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
    const answer = await developer.call('POST', 'keys', {}, headers);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'foreign_origin']);
  }
  const own = await developer.call('POST', 'keys', {}, { origin: console_.pageUrl, 'sec-fetch-site': 'same-origin' });
  expect(own.status).toBe(201);
  // HTML forms cannot send JSON.
  const form = await developer.call('POST', 'keys', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' });
  expect(form.status).toBe(415);
});

test('the console port does not serve the admin API, and the admin API port does not serve the developer API', async () => {
  const asAdmin = { headers: { authorization: 'Bearer test-admin-token-0123456789-abcdefgh' } };
  expect((await fetch(`${console_.pageUrl}/admin/v1/tenants`, asAdmin)).status).toBe(404);
  expect((await fetch(`${console_.pageUrl}/admin.html`)).status).toBe(404);
  expect((await fetch(`${console_.adminUrl}/console/v1/account`)).status).toBe(404);
  expect((await admin('GET', '/admin/v1/applications', { token: null })).status).toBe(401);
});

test('POST applications returns 503 while MAX_APPLICATIONS applications are pending', async () => {
  const answers = [];
  for (let at = 0; at < 13; at++) answers.push((await visitor().call('POST', 'applications', APPLICANT)).status);
  expect(answers.at(-1)).toBe(503);
  const { body } = await admin('GET', '/admin/v1/applications');
  expect(body.data).toHaveLength(12);
});
