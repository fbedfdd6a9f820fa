import { eventually } from '../../../../test/support/eventually.ts';
import { startTestConsole, TOKEN, untilReady } from '../../testing/console.ts';
import type { Answer, CallOptions, TestConsole } from '../../testing/console.ts';
import { startTestEnvironment } from '../../testing/environment.ts';
import type { TestEnvironment } from '../../testing/environment.ts';

const WITHIN_MS = 30_000;
const FROM_PAGE = { 'x-svc-asr-console': '1' };

let console_: TestEnvironment;
beforeEach(async () => {
  const env = { KEY_ACTIVATION_TIMEOUT_MS: '0', ADMIN_FAILED_ATTEMPTS_PER_MINUTE: '3' };
  console_ = await startTestEnvironment({ operator: false, env });
});
afterEach(() => console_.stop());

const signIn = (token: string, headers: Record<string, string> = FROM_PAGE, at: TestConsole = console_) =>
  at.call('POST', '/admin/v1/sign-in', { body: { token }, headers, token: null });
const cookieOf = ({ headers }: Answer) => headers.get('set-cookie')?.split(';')[0] ?? '';
const signedIn = async (headers?: Record<string, string>) => cookieOf(await signIn(TOKEN, headers));

/** Sends a request of a browser with this cookie. */
const browse = (cookie: string, method: string, path: string, { headers = FROM_PAGE, ...options }: CallOptions = {}) =>
  console_.call(method, `/admin/v1/${path}`, { ...options, headers: { ...headers, cookie }, token: null });

test('the admin token signs a browser in for 12 hours, with a cookie that scripts cannot read', async () => {
  const answer = await signIn(TOKEN);
  expect(answer).toMatchObject({
    status: 200,
    body: { object: 'admin_session', actor: 'admin-token', signed_in_by: 'token', role: 'administrator' },
  });
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^svc_asr_admin=\S+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(TOKEN);
  expect((await browse(cookieOf(answer), 'GET', 'session')).body).toEqual(answer.body);
  expect((await browse(cookieOf(answer), 'GET', 'tenants')).status).toBe(200);
});

test('the cookie of an administrator has the prefix __Host- over TLS', async () => {
  const { headers } = await signIn(TOKEN, { ...FROM_PAGE, 'x-forwarded-proto': 'https' });
  expect(headers.get('set-cookie')).toMatch(/^__Host-svc_asr_admin=.*; Secure$/);
});

test('GET session is answered with 401 without a cookie, and does not count as a failed attempt', async () => {
  for (let times = 0; times < 5; times++) {
    const answer = await console_.call('GET', '/admin/v1/session', { token: null });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'not_signed_in']);
  }
  expect((await console_.call('GET', '/admin/v1/session')).body).toMatchObject({ expires_at: null });
});

test('wrong tokens and forged cookies are refused, and an address that has sent too many of them gets 429', async () => {
  const cookie = await signedIn();
  const forged = `${cookie.slice(0, -2)}${cookie.endsWith('AA') ? 'BB' : 'AA'}`;
  expect((await signIn('wrong')).body.error.code).toBe('invalid_admin_token');
  expect((await browse(forged, 'GET', 'tenants')).status).toBe(401);
  expect((await browse(forged, 'GET', 'session')).body.error.code).toBe('not_signed_in');
  const limited = await signIn('wrong');
  expect([limited.status, limited.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
  expect((await browse(cookie, 'GET', 'tenants')).status).toBe(200);
  expect((await signIn(TOKEN)).status).toBe(200);
});

test.each([
  ['without the header of the page', {}],
  ['from another origin', { ...FROM_PAGE, origin: 'https://other.example' }],
  ['from another site', { ...FROM_PAGE, 'sec-fetch-site': 'cross-site' }],
])('a request %s can neither sign in nor write, but can read', async (_condition, headers) => {
  const refused = { status: 403, body: { error: { code: 'foreign_origin' } } };
  expect(await signIn(TOKEN, headers as Record<string, string>)).toMatchObject(refused);
  const cookie = await signedIn();
  const body = { displayName: 'x' };
  expect(await browse(cookie, 'PUT', 'tenants/x', { body, headers })).toMatchObject(refused);
  expect((await browse(cookie, 'GET', 'tenants', { headers })).status).toBe(200);
  expect((await browse(cookie, 'PUT', 'tenants/x', { body })).status).toBe(201);
});

test('after a sign-out, this console and another replica refuse the session, and other sessions remain valid', async () => {
  const other = await startTestConsole(console_.redis.url, {});
  await untilReady(other);
  const [first, second] = [await signedIn(), await signedIn()];
  const at = (cookie: string) => other.call('GET', '/admin/v1/tenants', { headers: { cookie }, token: null });
  expect((await at(first)).status).toBe(200);
  const ended = await browse(first, 'DELETE', 'sign-in');
  expect(ended).toMatchObject({ status: 200, body: { revoked: true, applied: true } });
  expect(ended.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await browse(first, 'GET', 'tenants')).status).toBe(401);
  await eventually('the other console knows it', WITHIN_MS, async () => (await at(first)).status === 401);
  expect((await at(second)).status).toBe(200);
  await other.stop();
});

test('DELETE sessions signs all administrators out, and the admin token remains valid', async () => {
  const cookies = [await signedIn(), await signedIn()];
  expect(await console_.call('DELETE', '/admin/v1/sessions')).toMatchObject({ body: { revoked: true, applied: true } });
  for (const cookie of cookies) expect((await browse(cookie, 'GET', 'tenants')).status).toBe(401);
  await eventually('a new session works', WITHIN_MS, async () => {
    return (await browse(await signedIn(), 'GET', 'tenants')).status === 200;
  });
});

test('administrators can sign in, work and sign out while Redis is unavailable', async () => {
  await console_.redis.kill();
  const cookie = await signedIn();
  expect((await browse(cookie, 'PUT', 'tenants/x', { body: { displayName: 'x' } })).status).toBe(201);
  expect((await browse(cookie, 'DELETE', 'sign-in')).body).toMatchObject({ revoked: true, applied: false });
  expect((await browse(cookie, 'GET', 'tenants')).status).toBe(401);
  await console_.redis.restart();
  await untilReady(console_);
  const ended = await eventually('Redis lists the ended session', WITHIN_MS, async () => {
    await browse(await signedIn(), 'GET', 'tenants');
    const { untilMs } = await console_.ledger.endedAdminSessions.read();
    return untilMs.size > 0 ? untilMs : undefined;
  });
  expect(ended.size).toBe(1);
});

test('a new admin token ends the sessions of the old token', async () => {
  const other = await startTestConsole(console_.redis.url, { ADMIN_TOKEN: `${TOKEN}-new` });
  await untilReady(other);
  const cookie = await signedIn();
  expect((await other.call('GET', '/admin/v1/tenants', { headers: { cookie }, token: null })).status).toBe(401);
  await other.stop();
});
