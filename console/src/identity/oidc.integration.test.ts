import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { startOpenidProvider } from '../testing/openid-provider.ts';
import type { OpenidProvider } from '../testing/openid-provider.ts';
import { createWebClient, signInAs } from '../testing/web-client.ts';
import type { WebClient } from '../testing/web-client.ts';
import { freePort } from '../../../test/support/ports.ts';

const APPLICANT = { name: 'Grace', email: 'grace@example.org', organisation: 'Acme Radio', use: 'Captions' };

let provider: OpenidProvider;
let console_: TestEnvironment;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  provider = await startOpenidProvider([`${url}/console/v1/sign-in/callback`]);
  const env = { ...provider.settings(url), CONSOLE_PORT: String(port), APPLICATIONS_PER_HOUR: '1000', CACHE_MS: '0' };
  console_ = await startTestEnvironment({ env, operator: true });
});
afterAll(() => console_.stop());

let users = 0;
/** Adds a user to the provider and returns the subject. */
function addUser(name = 'Grace'): string {
  const subject = `user-${++users}`;
  provider.users.set(subject, { name, email: `${subject}@example.org` });
  return subject;
}

const startUrl = (returnTo?: string) =>
  `${console_.pageUrl}/console/v1/sign-in/oidc${returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`;

async function signIn(
  subject: string,
  returnTo?: string,
): Promise<{ client: WebClient; visitor: Visitor; path: string }> {
  const client = createWebClient();
  const { url } = await signInAs(client, startUrl(returnTo), subject);
  const visitor = createVisitor(console_.pageUrl, client.cookie(console_.pageUrl));
  return { client, visitor, path: url.href.slice(url.origin.length) };
}

/** Returns where the browser is sent after a sign-in with this return path. */
async function returnUrl(given: string): Promise<string> {
  const client = createWebClient();
  const landed = await client.open(startUrl(given));
  const callback = await client.open(landed.url.href, { form: { subject: addUser() }, until: /sign-in\/callback/ });
  return (await client.open(callback.url.href, { until: /./ })).url.href;
}

test('a user signs in at the provider, joins the waitlist and becomes the owner of the new tenant', async () => {
  const subject = addUser();
  const { visitor } = await signIn(subject);
  expect((await visitor.call('GET', 'session')).body).toMatchObject({
    tenant: null,
    role: null,
    signed_in_by: 'oidc',
    person: { name: 'Grace', email: `${subject}@example.org` },
    tenants: [],
    oidc: true,
  });
  const account = await visitor.call('GET', 'account');
  expect([account.status, account.body.error.code]).toEqual([403, 'no_account']);

  const applied = await visitor.call('POST', 'applications', APPLICANT);
  expect([applied.status, applied.body.token]).toEqual([201, null]);
  const { tenant } = applied.body;
  expect((await visitor.call('GET', 'session')).body).toMatchObject({ tenant, role: 'owner' });
  expect((await visitor.call('GET', 'account')).body).toMatchObject({ name: tenant, state: 'Waitlisted' });

  const again = await signIn(subject);
  expect((await again.visitor.call('GET', 'account')).body).toMatchObject({ name: tenant });
});

test('the session of a user who signed in at the provider lasts at most 12 hours', async () => {
  const { visitor } = await signIn(addUser());
  const { body } = await visitor.call('GET', 'session');
  const leftMs = Date.parse(body.expires_at) - Date.now();
  expect(leftMs).toBeLessThanOrEqual(12 * 3_600_000);
  expect(leftMs).toBeGreaterThan(11 * 3_600_000);
});

test('all cookies are HttpOnly and SameSite, and the login cookie is SameSite=Lax, short-lived and deleted by the callback', async () => {
  const { client } = await signIn(addUser());
  const own = client.received().filter((line) => line.includes('svc_asr'));
  expect(own).toEqual([
    expect.stringMatching(/^svc_asr_login=[^;]{1,2048}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(/^svc_asr_login=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(/^svc_asr_console=oidc\.[^;]+; Max-Age=43\d\d\d; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
});

test('the login cookie has the prefix __Host- and is Secure behind a proxy that terminates TLS', async () => {
  const headers = { 'x-forwarded-proto': 'https' };
  const response = await fetch(startUrl(), { redirect: 'manual', headers });
  expect(response.headers.get('set-cookie')).toMatch(/^__Host-svc_asr_login=.*; Secure$/);
});

test('a sign-out ends the session, and a copy of its cookie is refused', async () => {
  const { visitor } = await signIn(addUser());
  const copy = createVisitor(console_.pageUrl, visitor.cookie());
  expect((await visitor.call('DELETE', 'sign-in')).status).toBe(200);
  expect((await copy.call('GET', 'session')).status).toBe(401);
});

test('DELETE session/all ends the sessions of the user in all browsers, and no session of another user', async () => {
  const subject = addUser();
  const [first, second] = [await signIn(subject), await signIn(subject)];
  const other = await signIn(addUser());
  expect((await first.visitor.call('DELETE', 'session/all')).status).toBe(200);
  expect((await second.visitor.call('GET', 'session')).status).toBe(401);
  expect((await other.visitor.call('GET', 'session')).status).toBe(200);
});

test('a user with the e-mail address of an existing user but another subject is treated as a different user', async () => {
  const owner = addUser();
  await (await signIn(owner)).visitor.call('POST', 'applications', APPLICANT);
  const other = addUser();
  provider.users.set(other, { name: 'Grace', email: `${owner}@example.org` });
  expect((await (await signIn(other)).visitor.call('GET', 'session')).body).toMatchObject({
    tenant: null,
    tenants: [],
  });
});

test('a user with several tenants selects one of them, and cannot select the tenant of another user', async () => {
  const { visitor } = await signIn(addUser());
  const names = [];
  for (const organisation of ['A', 'B']) {
    names.push(String((await visitor.call('POST', 'applications', { ...APPLICANT, organisation })).body.tenant));
  }
  const [a = '', b = ''] = names;
  expect((await visitor.call('GET', 'session')).body).toMatchObject({
    tenant: b,
    tenants: [{ tenant: a }, { tenant: b }],
  });
  expect((await visitor.call('POST', 'session/tenant', { tenant: a })).body).toMatchObject({ tenant: a });
  expect((await visitor.call('GET', 'account')).body).toMatchObject({ name: a });

  const stranger = await signIn(addUser());
  const refused = await stranger.visitor.call('POST', 'session/tenant', { tenant: a });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'no_account']);
  const [session = ''] = stranger.visitor.cookie().split(/\.[^.]*$/);
  const forged = createVisitor(console_.pageUrl, `${session}.${a}`);
  expect((await forged.call('GET', 'account')).status).toBe(403);
});

test('a session cookie whose secret part was changed is refused', async () => {
  const { visitor } = await signIn(addUser());
  const parts = visitor.cookie().split('.');
  const changed = parts.with(3, (parts[3] ?? '').split('').reverse().join('')).join('.');
  expect((await createVisitor(console_.pageUrl, changed).call('GET', 'session')).status).toBe(401);
  expect((await visitor.call('GET', 'session')).status).toBe(200);
});

test('if the name of a user changes at the provider, the new name is shown after the next sign-in', async () => {
  const subject = addUser('Grace');
  const { visitor } = await signIn(subject);
  const { tenant } = (await visitor.call('POST', 'applications', APPLICANT)).body;
  provider.users.set(subject, { name: 'Grace W.' });
  expect((await (await signIn(subject)).visitor.call('GET', 'session')).body).toMatchObject({
    tenant,
    person: { name: 'Grace W.', email: null },
  });
});

test.each([
  ['/keys', '/keys'],
  ['/?a=b#/team', '/?a=b#/team'],
  ['//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/%2F%2Fevil.example', '/'],
  ['%2F%2Fevil.example', '/'],
  ['/%5Cevil.example', '/'],
  ['/\t/evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('a sign-in with the return path %j leads to the console path %j', async (given, expected) => {
  expect(await returnUrl(given)).toBe(`${console_.pageUrl}${expected}`);
});

test('a return path of more than 512 characters is replaced by the start page', async () => {
  expect(await returnUrl(`/${'x'.repeat(511)}`)).toBe(`${console_.pageUrl}/${'x'.repeat(511)}`);
  expect(await returnUrl(`/${'x'.repeat(512)}`)).toBe(`${console_.pageUrl}/`);
});

test('a callback without the login cookie, or with the state of another login, is refused', async () => {
  const client = createWebClient();
  const landed = await client.open(startUrl());
  const callback = await client.open(landed.url.href, { form: { subject: addUser() }, until: /sign-in\/callback/ });
  const stranger = await createWebClient().open(callback.url.href);
  expect(stranger.url.href).toBe(`${console_.pageUrl}/?sign_in_error=sign_in_expired`);

  const victim = createWebClient();
  await victim.open(startUrl());
  const mixed = await victim.open(callback.url.href);
  expect(mixed.url.href).toBe(`${console_.pageUrl}/?sign_in_error=sign_in_failed`);
  expect(victim.cookie(console_.pageUrl)).not.toContain('svc_asr_console');
});

test('an authorization code of the provider works for only one sign-in', async () => {
  const client = createWebClient();
  const landed = await client.open(startUrl());
  const login = client.cookie(console_.pageUrl);
  const callback = await client.open(landed.url.href, { form: { subject: addUser() }, until: /sign-in\/callback/ });
  await client.open(callback.url.href);
  const copy = createWebClient();
  copy.setCookie(console_.pageUrl, 'svc_asr_login', login.slice('svc_asr_login='.length));
  expect((await copy.open(callback.url.href)).url.search).toBe('?sign_in_error=sign_in_failed');
});

test('users can sign in with the provider from an IP address that is blocked after too many wrong private links', async () => {
  const attempts = Array.from({ length: 30 }, () =>
    createVisitor(console_.pageUrl).call('POST', 'sign-in', { token: 'wrong' }),
  );
  expect((await Promise.all(attempts)).map(({ status }) => status)).toContain(429);
  expect((await (await signIn(addUser())).visitor.call('GET', 'session')).status).toBe(200);
});

test.each(['cross-site', 'same-site'])(
  'if a %s request starts a sign-in, the browser is sent to the start page and gets no cookie',
  async (site) => {
    const response = await fetch(startUrl(), { redirect: 'manual', headers: { 'sec-fetch-site': site } });
    expect([response.headers.get('location'), response.headers.get('set-cookie')]).toEqual(['/', null]);
  },
);

test('a user who cancels the sign-in at the provider returns to the console with sign_in_error in the address', async () => {
  const client = createWebClient();
  const landed = await client.open(startUrl());
  const { url } = await client.open(landed.url.href, { form: { cancel: '1' } });
  expect(url.search).toBe('?sign_in_error=sign_in_failed');
});

test('a private link signs a developer in as owner even if an identity provider is configured, and the session has no user', async () => {
  const visitor = createVisitor(console_.pageUrl);
  const { tenant } = (await visitor.call('POST', 'applications', APPLICANT)).body;
  expect((await visitor.call('GET', 'session')).body).toMatchObject({
    tenant,
    role: 'owner',
    signed_in_by: 'link',
    person: null,
  });
  const refused = await visitor.call('DELETE', 'session/all');
  expect([refused.status, refused.body.error.code]).toEqual([409, 'signed_in_by_link']);
});

test('the log contains no code, token, state or cookie of a sign-in', async () => {
  const { client } = await signIn(addUser());
  const [, token = ''] = client.cookie(console_.pageUrl).split('=');
  const secret = token.split('.')[3] ?? '';
  expect(secret).toHaveLength(32);
  const output = console_.output();
  expect(output).not.toContain(secret);
  expect(output).not.toMatch(/code=|state=|id_token|access_token/);
});
