import { randomUUID } from 'node:crypto';
import type { Answer } from '../support/answer.ts';
import type { TestTenant } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { forgeKey, keyIdOf } from '../support/key.ts';
import { modelYaml } from '../support/model.ts';
import { refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service, ServiceRequest } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const DHOLUO = 'svc-asr-dholuo-v1';
const FULL = 'svc-asr-full-v1';
const PASSING = 'svc-asr-passing-v1';
const GOOD = JSON.stringify({ model: KIKUYU });
const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LONG = 16_385;

let service: Service;
beforeAll(async () => {
  const config = { 'full.yaml': modelYaml(FULL, { max: 0 }), 'passing.yaml': modelYaml(PASSING) };
  service = await startService({ config });
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const post = (key: string, request: ServiceRequest): Promise<Answer> =>
  service.request('POST', '/v1/asr/sessions', { key, ...request });

async function expectNothingReserved({ name }: TestTenant): Promise<void> {
  expect(await service.admin.account(name)).toMatchObject({ live_sessions: 0, credits: { reserved_ms: 0 } });
}

describe('a request that breaks two rules is refused for the earlier one:', () => {
  test('the API key is checked before the account', async () => {
    const { key } = await service.tenant({ state: 'Suspended' });
    const wrong = forgeKey(keyIdOf(key), 'a'.repeat(32));
    expect(refusal(await post(wrong, { body: '{' }))).toBe('invalid_api_key');
    expect(refusal(await post(key, { body: '{' }))).toBe('account_inactive');
  });

  test('the account is checked before the request rate', async () => {
    const { key, name } = await service.tenant({ limits: { requestsPerMinute: 1 } });
    expect((await service.usage(key)).status).toBe(200);
    expect(refusal(await service.usage(key))).toBe('rate_limit_exceeded');
    await service.admin.change(name, { state: 'Suspended', limits: { requestsPerMinute: 1 } });
    expect(refusal(await post(key, { body: '{' }))).toBe('account_inactive');
  });

  test('the request rate is checked before the content type', async () => {
    const { key } = await service.tenant({ limits: { requestsPerMinute: 1 } });
    expect((await service.usage(key)).status).toBe(200);
    const headers = { 'content-type': 'text/plain' };
    expect(refusal(await post(key, { headers, body: GOOD }))).toBe('rate_limit_exceeded');
  });

  test('the content type is checked before the size of the body', async () => {
    const { key } = await service.tenant();
    const headers = { 'content-type': 'text/plain' };
    expect(refusal(await post(key, { headers, body: GOOD.padEnd(TOO_LONG) }))).toBe('unsupported_media_type');
  });

  test('the size of the body is checked before its JSON syntax', async () => {
    const { key } = await service.tenant();
    for (const chunked of [false, true]) {
      const answer = await post(key, { headers: JSON_TYPE, body: '{'.padEnd(TOO_LONG, '{'), chunked });
      expect(refusal(answer)).toBe('request_too_large');
    }
  });

  test('the JSON syntax is checked before the parameters and the Idempotency-Key', async () => {
    const { key } = await service.tenant();
    const headers = { ...JSON_TYPE, 'idempotency-key': 'not valid' };
    expect(refusal(await post(key, { headers, body: '{"model": 5' }))).toBe('invalid_json');
  });

  test('the parameters are checked before a conflict of the Idempotency-Key', async () => {
    const { key } = await service.tenant();
    const headers = { 'idempotency-key': randomUUID() };
    sessionOf(await service.create(key, { model: KIKUYU }, headers));
    expect(refusal(await service.create(key, { model: KIKUYU, more: 1 }, headers))).toBe('invalid_parameters');
  });

  test('the form of the Idempotency-Key is checked before the model', async () => {
    const { key } = await service.tenant();
    const answer = await service.create(key, { model: 'none' }, { 'idempotency-key': 'not valid' });
    expect(refusal(answer)).toBe('invalid_idempotency_key');
  });

  test('a repeated request is answered before the model is checked', async () => {
    const { key } = await service.tenant();
    const headers = { 'idempotency-key': randomUUID() };
    const session = sessionOf(await service.create(key, { model: PASSING }, headers));
    expect(refusal(await service.create(key, { model: 'none' }, headers))).toBe('idempotency_conflict');
    service.removeConfig('passing.yaml');
    await eventually('the model is removed', 30_000, async () => {
      return (await service.create(key, { model: PASSING })).status === 404;
    });
    expect(sessionOf(await service.create(key, { model: PASSING }, headers))).toStrictEqual(session);
  });

  test('a repeated request is answered before the models of the account are checked', async () => {
    const { key, name } = await service.tenant();
    const headers = { 'idempotency-key': randomUUID() };
    const session = sessionOf(await service.create(key, { model: KIKUYU }, headers));
    await service.admin.change(name, { models: [DHOLUO] });
    expect(refusal(await service.create(key, { model: KIKUYU }))).toBe('model_scope_denied');
    expect(sessionOf(await service.create(key, { model: KIKUYU }, headers))).toStrictEqual(session);
  });

  test('the existence of the model is checked before the models of the account', async () => {
    const tenant = await service.tenant({ models: [DHOLUO] });
    expect(refusal(await service.create(tenant.key, { model: 'none' }))).toBe('model_not_found');
    await expectNothingReserved(tenant);
  });

  test('the models of the account are checked before concurrency and session rate', async () => {
    const limits = { concurrentSessions: 1, sessionsPerMinute: 1 };
    const { key } = await service.tenant({ models: [DHOLUO], limits });
    sessionOf(await service.create(key, { model: DHOLUO }));
    expect(refusal(await service.create(key, { model: KIKUYU }))).toBe('model_scope_denied');
  });

  test('the session rate is checked before concurrency', async () => {
    const { key } = await service.tenant({ limits: { concurrentSessions: 1, sessionsPerMinute: 1 } });
    sessionOf(await service.create(key));
    expect(refusal(await service.create(key))).toBe('rate_limit_exceeded');
  });

  test.each([
    ['session rate', { sessionsPerMinute: 1 }, 'rate_limit_exceeded'],
    ['concurrency', { concurrentSessions: 1 }, 'concurrency_limit_exceeded'],
  ])('%s is checked before the credit', async (_what, limits, code) => {
    const { key } = await service.tenant({ seconds: 5, limits });
    expect(sessionOf(await service.create(key)).credits.remaining).toBe(0);
    expect(refusal(await service.create(key))).toBe(code);
  });

  test('the credit is checked before the capacity', async () => {
    const tenant = await service.tenant({ seconds: 0 });
    expect(refusal(await service.create(tenant.key, { model: FULL }))).toBe('insufficient_credits');
    await expectNothingReserved(tenant);
  });
});
