import { randomUUID } from 'node:crypto';
import type { Answer } from '../support/answer.ts';
import type { TestTenant } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { forgeKey, keyIdOf } from '../support/key.ts';
import { balanceOf, errorOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const FAILURES_PER_SECOND = 3;
/** Number of parallel attempts, so high that even a busy machine exceeds the limit per second. */
const MANY = 20 * FAILURES_PER_SECOND;
const SHORT_LIFE_MS = 6000;

let service: Service;
let tenant: TestTenant;
let shortLived: { key: string; expiresAtMs: number };
beforeAll(async () => {
  service = await startService({
    // The test acts as the trusted proxy, so each of its requests can specify another client address.
    env: { AUTH_FAILURES_PER_SECOND: String(FAILURES_PER_SECOND), TRUSTED_PROXIES: '127.0.0.1' },
  });
  tenant = await service.tenant({ seconds: 100_000 });
  const expiresAtMs = Date.now() + SHORT_LIFE_MS;
  const key = await service.admin.key(tenant.name, { expires_at: new Date(expiresAtMs).toISOString() });
  shortLived = { key, expiresAtMs };
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

let addresses = 0;
const freshAddress = () => `198.18.${++addresses >> 8}.${addresses & 255}`;

const usage = (authorization: string | undefined, from = freshAddress()): Promise<Answer> =>
  service.request('GET', '/v1/usage', {
    headers: { 'x-forwarded-for': from, ...(authorization === undefined ? {} : { authorization }) },
  });
const create = (key: string, body: object = { model: KIKUYU }): Promise<Answer> =>
  service.create(key, body, { 'x-forwarded-for': freshAddress() });

test('an API key works until it expires and is refused afterwards', async () => {
  if (Date.now() < shortLived.expiresAtMs - 1000) {
    expect((await usage(`Bearer ${shortLived.key}`)).status).toBe(200);
  }
  await new Promise((resolve) => setTimeout(resolve, shortLived.expiresAtMs - Date.now() + 50));
  expect(refusal(await usage(`Bearer ${shortLived.key}`))).toBe('expired_api_key');
  expect(refusal(await create(shortLived.key))).toBe('expired_api_key');
});

describe('the Authorization header', () => {
  test('is required on the routes of sessions and usage, and a request without it gets a 401 with the header WWW-Authenticate', async () => {
    for (const [method, path] of [
      ['GET', '/v1/usage'],
      ['POST', '/v1/asr/sessions'],
      ['GET', '/v1/asr/sessions/x'],
      ['DELETE', '/v1/asr/sessions/x'],
    ] as const) {
      const answer = await service.request(method, path, { headers: { 'x-forwarded-for': freshAddress() } });
      expect(refusal(answer)).toBe('missing_api_key');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    }
    expect(refusal(await usage(''))).toBe('missing_api_key');
  });

  test.each(['bearer', 'BEARER', 'Bearer'])('is accepted with the scheme written as %s', async (scheme) => {
    expect((await usage(`${scheme} ${tenant.key}`)).status).toBe(200);
  });

  test('is refused if its scheme is not Bearer or its form is wrong', async () => {
    const { key } = tenant;
    const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    for (const value of [
      basic,
      key,
      'Bearer',
      `Bearer: ${key}`,
      `Bearer ${key} ${key}`,
      `Token ${key}`,
      `Bearer ${key},x`,
    ]) {
      expect(refusal(await usage(value))).toBe('invalid_api_key');
    }
    expect(errorOf(await usage(`Token ${key}`)).message).toContain('"Bearer <API_KEY>"');
  });

  test('cannot be replaced by X-Api-Key, a cookie or a query parameter with the API key', async () => {
    const headers = { 'x-api-key': tenant.key, cookie: `key=${tenant.key}`, 'x-forwarded-for': freshAddress() };
    const answer = await service.request('GET', `/v1/usage?api_key=${tenant.key}`, { headers });
    expect(refusal(answer)).toBe('missing_api_key');
  });
});

describe('an API key', () => {
  test('has the documented format', () => {
    expect(tenant.key).toMatch(/^svc_live_v1_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/);
    const secret = tenant.key.slice(23, 55);
    expect(forgeKey(keyIdOf(tenant.key), secret)).toBe(tenant.key);
  });

  test.each([
    ['is cut short', (key: string) => key.slice(0, -1)],
    ['is too long', (key: string) => `${key}0`],
    ['has a wrong checksum', (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')],
    ['has another prefix', (key: string) => key.replace('svc_live', 'svc_test')],
    ['has another version', (key: string) => key.replace('_v1_', '_v2_')],
    [
      'has a changed letter in its secret',
      (key: string) => key.slice(0, 30) + (key[30] === 'a' ? 'b' : 'a') + key.slice(31),
    ],
    ['is in upper case', (key: string) => key.toUpperCase()],
    ['is well-formed and unknown', () => forgeKey('0123456789', 'a'.repeat(32))],
    ['has a known id and another secret', (key: string) => forgeKey(keyIdOf(key), 'a'.repeat(32))],
  ])('that %s is refused with the same message as any other invalid key', async (_how, change) => {
    const changed = change(tenant.key);
    const errors = [errorOf(await usage(`Bearer ${changed}`)), errorOf(await create(changed))];
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'invalid_api_key', message: 'The API key is not valid.' });
    }
  });

  test('is refused after its revocation, while its sessions continue', async () => {
    const own = await service.tenant();
    const other = await service.admin.key(own.name);
    const { id } = sessionOf(await create(own.key));
    await service.admin.revoke(own.key);
    await eventually('the key is refused', 30_000, async () => {
      const answer = await usage(`Bearer ${own.key}`);
      return answer.status === 401 && refusal(answer) === 'revoked_api_key';
    });
    expect(refusal(await create(own.key))).toBe('revoked_api_key');
    const balance = balanceOf(await usage(`Bearer ${other}`));
    expect(balance).toMatchObject({ reserved_ms: 60_000, recent_sessions: [{ id, status: 'reserved' }] });
    expect(refusal(await usage(`Bearer ${forgeKey(keyIdOf(own.key), 'a'.repeat(32))}`))).toBe('invalid_api_key');
  });
});

describe('an API key with limits', () => {
  test('may use only the routes of its scopes, and the refusal names the missing scope', async () => {
    const reader = await service.admin.key(tenant.name, { scopes: ['usage:read'] });
    expect((await usage(`Bearer ${reader}`)).status).toBe(200);
    const error = errorOf(await create(reader));
    expect(error.code).toBe('key_scope_denied');
    expect(error.message).toContain('lacks the scope sessions:create. It has: usage:read.');

    const creator = await service.admin.key(tenant.name, { scopes: ['sessions:create'] });
    sessionOf(await create(creator));
    expect(errorOf(await usage(`Bearer ${creator}`)).message).toContain('lacks the scope usage:read.');
  });

  test('may use only models that both the key and its account allow', async () => {
    const own = await service.tenant({ models: [KIKUYU] });
    const key = await service.admin.key(own.name, { models: [KIKUYU, 'svc-asr-dholuo-v1'] });
    sessionOf(await create(key, { model: KIKUYU }));
    expect(errorOf(await create(key, { model: 'svc-asr-dholuo-v1' })).message).toMatch(/^The account may not/);
    const other = await service.admin.key(tenant.name, { models: ['svc-asr-dholuo-v1'] });
    const error = errorOf(await create(other, { model: KIKUYU }));
    expect(error.code).toBe('model_scope_denied');
    expect(error.message).toContain('It may use: svc-asr-dholuo-v1.');
    expect(refusal(await create(other, { model: 'none' }))).toBe('model_not_found');
  });

  test('does not get a session of a model that it may not use, even with the Idempotency-Key of another key', async () => {
    const headers = { 'idempotency-key': randomUUID(), 'x-forwarded-for': freshAddress() };
    sessionOf(await service.create(tenant.key, { model: KIKUYU }, headers));
    const other = await service.admin.key(tenant.name, { models: ['svc-asr-dholuo-v1'] });
    expect(refusal(await service.create(other, { model: KIKUYU }, headers))).toBe('model_scope_denied');
  });
});

describe('an account', () => {
  test.each(['Waitlisted', 'Suspended', 'Declined'] as const)(
    'in state %s can neither read its usage nor create a session',
    async (state) => {
      const { key, name } = await service.tenant({ state });
      expect(refusal(await usage(`Bearer ${key}`))).toBe('account_inactive');
      expect(refusal(await create(key))).toBe('account_inactive');
      expect(await service.admin.account(name)).toMatchObject({ live_sessions: 0, credits: { reserved_ms: 0 } });
    },
  );

  test('that was suspended has the same balance when it is active again', async () => {
    const own = await service.tenant({ seconds: 100 });
    const { id } = sessionOf(await create(own.key));
    await service.admin.change(own.name, { state: 'Suspended' });
    expect(refusal(await usage(`Bearer ${own.key}`))).toBe('account_inactive');
    await service.admin.change(own.name, { state: 'Active' });
    const balance = balanceOf(await usage(`Bearer ${own.key}`));
    expect(balance).toMatchObject({ available_ms: 40_000, recent_sessions: [{ id }] });
  });

  test('that was deleted has keys that no longer work', async () => {
    const own = await service.tenant();
    await service.admin.call('DELETE', `/tenants/${own.name}`);
    await eventually('the key is refused', 30_000, async () => {
      const answer = await usage(`Bearer ${own.key}`);
      return answer.status === 401 && refusal(answer) === 'revoked_api_key';
    });
  });

  test('may use only the models in the list of its tenant', async () => {
    const { key, name } = await service.tenant({ models: ['svc-asr-dholuo-v1'] });
    expect(refusal(await create(key, { model: KIKUYU }))).toBe('model_scope_denied');
    expect(sessionOf(await create(key, { model: 'svc-asr-dholuo-v1' })).model).toBe('svc-asr-dholuo-v1');
    await service.admin.change(name, { models: ['svc-asr-dholuo-v1', KIKUYU] });
    expect(sessionOf(await create(key, { model: KIKUYU })).model).toBe(KIKUYU);
    await service.admin.change(name, { models: [] });
    expect(refusal(await create(key, { model: KIKUYU }))).toBe('model_scope_denied');
  });
});

describe('the limit on failed authentications', () => {
  const fail = (from: string) => usage('Bearer nonsense', from);

  test('applies per client address, and attempts over the limit get 429 instead of 401 for one second', async () => {
    const address = freshAddress();
    const answers = await Promise.all(Array.from({ length: MANY }, () => fail(address)));
    const codes = answers.map(refusal);
    expect(new Set(codes)).toEqual(new Set(['invalid_api_key', 'rate_limit_exceeded']));
    expect(codes.filter((code) => code === 'invalid_api_key').length).toBeGreaterThanOrEqual(FAILURES_PER_SECOND);
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');

    expect(refusal(await fail(freshAddress()))).toBe('invalid_api_key');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(refusal(await fail(address))).toBe('invalid_api_key');
  });

  test('limits a burst of failures on two routes, and does not count successful authentications', async () => {
    const address = freshAddress();
    const good = await Promise.all(Array.from({ length: 10 }, () => usage(`Bearer ${tenant.key}`, address)));
    expect(new Set(good.map(({ status }) => status))).toEqual(new Set([200]));
    const bad = await Promise.all(
      Array.from({ length: MANY }, (_, at) =>
        at % 2 === 0 ? fail(address) : service.create('nonsense', undefined, { 'x-forwarded-for': address }),
      ),
    );
    expect(new Set(bad.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });

  test('does not lock out an API key that was used from the same address before the failures', async () => {
    const address = freshAddress();
    const good = [await usage(`Bearer ${tenant.key}`, address)];
    const bad: Answer[] = [];
    // The gateway caches a key for a second. The loop lasts longer, so that the gateway must look the key up again.
    for (const untilMs = Date.now() + 2500; Date.now() < untilMs;) {
      bad.push(...(await Promise.all(Array.from({ length: MANY }, () => fail(address)))));
      good.push(await usage(`Bearer ${tenant.key}`, address));
    }
    expect(new Set(bad.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(new Set(good.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('cannot be bypassed by X-Forwarded-For from an address that is not a trusted proxy', async () => {
    const options = { localAddress: '127.0.0.2', agent: false as const };
    const answers = await Promise.all(
      Array.from({ length: MANY }, () =>
        service.request('GET', '/v1/usage', { headers: { 'x-forwarded-for': freshAddress() }, options }),
      ),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });

  test('does not apply to public routes', async () => {
    const address = freshAddress();
    await Promise.all(Array.from({ length: 2 * FAILURES_PER_SECOND }, () => fail(address)));
    const answer = await service.request('GET', '/v1/models', { headers: { 'x-forwarded-for': address } });
    expect(answer.status).toBe(200);
  });
});
