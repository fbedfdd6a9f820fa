import { request } from 'node:http';
import { startTestConsole, TOKEN } from '../testing/console.ts';
import type { TestConsole } from '../testing/console.ts';

/** Nothing listens at this address. These tests need no Redis. */
const NO_REDIS = 'redis://127.0.0.1:1';
const LIMIT_BYTES = 2048;

let console_: TestConsole;

beforeEach(async () => {
  console_ = await startTestConsole(NO_REDIS, {
    KEY_ACTIVATION_TIMEOUT_MS: '0',
    ADMIN_BODY_BYTES: String(LIMIT_BYTES),
    ADMIN_FAILED_ATTEMPTS_PER_MINUTE: '3',
  });
});

afterEach(() => console_.stop());

const tenants = '/admin/v1/tenants';

test('every response of the admin API has its own request id and forbids caching', async () => {
  const answers = [await console_.call('GET', tenants), await console_.call('GET', '/nowhere')];
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(2);
  for (const { headers } of answers) {
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBeNull();
  }
  expect(answers[1]?.body.error.request_id).toBe(ids[1]);
});

test('the admin API ignores a request id that the client sends', async () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const { headers } = await console_.call('GET', tenants, { headers: { 'x-request-id': id } });
  expect(headers.get('x-request-id')).not.toBe(id);
});

test('the admin API returns 401 with a challenge for a missing or wrong token, on known and unknown paths', async () => {
  const missing = await console_.call('GET', tenants, { token: null });
  expect([missing.status, missing.body.error.code]).toEqual([401, 'missing_admin_token']);
  expect(missing.headers.get('www-authenticate')).toMatch(/^Bearer/);
  const wrong = await console_.call('GET', '/admin/v1/nowhere', { token: `${TOKEN}x` });
  expect([wrong.status, wrong.body.error.code]).toEqual([401, 'invalid_admin_token']);
  expect(console_.output()).not.toContain(TOKEN);
});

test('the admin API returns 429 for a wrong token after too many failed attempts from an address, and still accepts the right token', async () => {
  for (let n = 0; n < 3; n++) {
    expect((await console_.call('GET', tenants)).status).toBe(200);
    expect((await console_.call('GET', tenants, { token: 'wrong' })).status).toBe(401);
  }
  const limited = await console_.call('GET', tenants, { token: 'wrong' });
  expect([limited.status, limited.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
  // One attempt per 20 s is allowed. On a slow machine, part of these 20 s has passed already.
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(20);
  expect((await console_.call('GET', tenants)).status).toBe(200);
  expect((await fetch(`${console_.healthUrl}/livez`)).status).toBe(200);
});

test.each([
  ['GET', '/admin/v1/nowhere', 404, 'not_found', null],
  ['POST', '/', 405, 'method_not_allowed', 'GET, HEAD'],
  ['GET', `${tenants}/`, 404, 'not_found', null],
  ['GET', '/admin/v1/Tenants', 404, 'not_found', null],
  ['GET', `${tenants}/nobody`, 404, 'tenant_not_found', null],
  ['GET', `${tenants}/%ff`, 400, 'invalid_parameters', null],
  ['POST', tenants, 405, 'method_not_allowed', 'GET, HEAD'],
  ['POST', `${tenants}/x`, 405, 'method_not_allowed', 'GET, HEAD, PUT, PATCH, DELETE'],
  ['GET', `${tenants}/x/grants`, 405, 'method_not_allowed', 'POST'],
  ['PUT', '/admin/v1/keys', 405, 'method_not_allowed', 'GET, HEAD, POST'],
  ['GET', '/admin/v1/keys/x', 405, 'method_not_allowed', 'DELETE'],
  ['DELETE', '/admin/v1/keys/x', 404, 'key_not_found', null],
])('the admin API answers %s %s with %i %s', async (method, path, status, code, allow) => {
  const answer = await console_.call(method, path);
  expect([answer.status, answer.body.error.code, answer.headers.get('allow')]).toEqual([status, code, allow]);
});

test('the admin API accepts a body of exactly ADMIN_BODY_BYTES and rejects a longer body', async () => {
  const bodyOf = (bytes: number) => {
    const empty = JSON.stringify({ displayName: 'x', contact: { use: '' } });
    return JSON.stringify({ displayName: 'x', contact: { use: 'u'.repeat(bytes - empty.length) } });
  };
  const put = (body: string) => console_.call('PUT', `${tenants}/big`, { body });
  expect((await put(bodyOf(LIMIT_BYTES))).status).toBe(201);
  const over = await put(bodyOf(LIMIT_BYTES + 1));
  expect([over.status, over.body.error.code]).toEqual([413, 'request_too_large']);
});

test.each([
  ['{', 'application/json', 400, 'invalid_json'],
  ['', 'application/json', 400, 'invalid_json'],
  ['{"displayName":"x"}', 'text/plain', 415, 'unsupported_media_type'],
  ['{"displayName":"x"}', 'application/json; charset=latin1', 415, 'unsupported_media_type'],
  ['{"displayName":"x","__proto__":{}}', 'application/json', 400, 'invalid_parameters'],
])('the admin API rejects the body %j sent as %s with %i %s', async (body, type, status, code) => {
  const answer = await console_.call('PUT', `${tenants}/x`, { body, headers: { 'content-type': type } });
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});

test('the admin API accepts UTF-8 JSON with and without a charset', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"']) {
    const headers = { 'content-type': type };
    expect(
      (await console_.call('PUT', `${tenants}/utf`, { body: { displayName: 'Gĩkũyũ' }, headers })).status,
    ).toBeLessThan(300);
  }
  expect((await console_.call('GET', `${tenants}/utf`)).body.spec.displayName).toBe('Gĩkũyũ');
});

test('the admin API rejects a body that is not UTF-8 with 400 and creates no tenant', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const put = request(`${console_.adminUrl}${tenants}/bytes`, { method: 'PUT', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    put.on('error', reject);
    put.end(Buffer.concat([Buffer.from('{"displayName":"'), Buffer.of(0xff), Buffer.from('"}')]));
  });
  expect(status).toBe(400);
  expect((await console_.call('GET', `${tenants}/bytes`)).status).toBe(404);
});

test('metrics of the admin API contain the route pattern of a request and never its raw path', async () => {
  await console_.call('GET', `${tenants}/secret-name`);
  const text = await (await fetch(`${console_.healthUrl}/metrics`)).text();
  expect(text).toContain('route="/admin/v1/tenants/:name"');
  expect(text).not.toContain('secret-name');
  expect(console_.output()).not.toContain('secret-name');
});

test('the console is live but not ready before its first connection to Redis', async () => {
  expect((await fetch(`${console_.healthUrl}/livez`)).status).toBe(200);
  const ready = await fetch(`${console_.healthUrl}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, 'Redis has not responded yet. Check REDIS_URL.\n']);
});

test('the console port serves the page and not the admin API', async () => {
  const page = await fetch(`${console_.pageUrl}/`);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('svc-asr console');
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect((await fetch(`${console_.pageUrl}${tenants}`, { headers })).status).toBe(404);
  expect((await fetch(`${console_.pageUrl}/`, { method: 'POST' })).status).toBe(405);
});

test('POST link returns the URL of the private link if CONSOLE_URL is set, and otherwise null instead of the URL', async () => {
  const create = async ({ call }: TestConsole) => {
    await call('PUT', `${tenants}/linked`, { body: { displayName: 'Linked' } });
    expect((await call('GET', `${tenants}/linked`)).body.has_link).toBe(false);
    const { body } = await call('POST', `${tenants}/linked/link`);
    expect((await call('GET', `${tenants}/linked`)).body.has_link).toBe(true);
    return body as { path: string; url: string | null };
  };
  expect((await create(console_)).url).toBeNull();
  const env = { CONSOLE_URL: 'https://console.example.org', KEY_ACTIVATION_TIMEOUT_MS: '0' };
  const addressed = await startTestConsole(NO_REDIS, env);
  try {
    const { path, url } = await create(addressed);
    expect(url).toBe(`https://console.example.org${path}`);
  } finally {
    await addressed.stop();
  }
});
