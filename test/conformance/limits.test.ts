import { randomUUID } from 'node:crypto';
import type { Answer } from '../support/answer.ts';
import { balanceOf, errorOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';

let service: Service;
beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

describe('the concurrency limit', () => {
  test('of 1 for a model refuses only a second session of this model', async () => {
    const models = [{ model: KIKUYU, concurrentSessions: 1 }];
    const { key } = await service.tenant({ limits: { concurrentSessions: 2, models } });
    const { id } = sessionOf(await service.create(key, { model: KIKUYU }));
    const refused = await service.create(key, { model: KIKUYU });
    expect(errorOf(refused)).toMatchObject({
      type: 'rate_limit_error',
      code: 'concurrency_limit_exceeded',
      message: expect.stringMatching(`ASR session of the model ${KIKUYU}\\. It has 1 of at most 1\\. .* DELETE `),
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(sessionOf(await service.create(key, { model: 'svc-asr-dholuo-v1' })).id).not.toBe(id);
  });

  test('admits a new session without a wait after the first was cancelled', async () => {
    const { key } = await service.tenant({ limits: { concurrentSessions: 1 } });
    const { id } = sessionOf(await service.create(key));
    const path = `/v1/asr/sessions/${id}`;
    expect((await service.request('GET', path, { key })).body).toMatchObject({
      id,
      status: 'reserved',
      end_reason: null,
    });
    for (let repeat = 0; repeat < 2; repeat++) {
      const answer = await service.request('DELETE', path, { key });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({ 'x-request-id': expect.any(String), ratelimit: expect.any(String) });
    }
    const ended = { id, status: 'expired', billable_ms: 0, end_reason: 'cancelled', close_code: null };
    expect((await service.request('GET', path, { key })).body).toMatchObject(ended);
    sessionOf(await service.create(key));
  });

  test('of three admits exactly three of ten parallel sessions', async () => {
    const { key, name } = await service.tenant({ limits: { concurrentSessions: 3 } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(refusal(answer)).toBe('concurrency_limit_exceeded');
      expect(errorOf(answer).message).toContain('It has 3 of at most 3.');
    }
    expect(await service.admin.account(name)).toMatchObject({ live_sessions: 3, credits: { reserved_ms: 180_000 } });
  });

  test('is five for the key that npm start prints, whose rate limits are 6000 per minute', async () => {
    const { apiKey } = service;
    const created = await service.create(apiKey);
    sessionOf(created);
    for (let further = 0; further < 4; further++) sessionOf(await service.create(apiKey));
    expect(created.headers['ratelimit-policy']).toBe('"requests";q=6000;w=60, "sessions";q=6000;w=60');
    expect(refusal(await service.create(apiKey))).toBe('concurrency_limit_exceeded');
    const { available_ms, reserved_ms } = balanceOf(await service.usage(apiKey));
    expect(available_ms + reserved_ms).toBe(1000 * 3600 * 1000);
  });
});

describe('the limit of requests per minute', () => {
  const rate = (answer: Answer) => [answer.headers.ratelimit, answer.headers['ratelimit-policy']];

  test('refuses the first request above it, and response headers report the limit', async () => {
    const { key } = await service.tenant({ limits: { requestsPerMinute: 4 } });
    for (const remaining of [3, 2, 1, 0]) {
      const answer = await service.usage(key);
      expect(answer.status).toBe(200);
      expect(rate(answer)).toEqual([
        expect.stringMatching(`^"requests";r=${remaining};t=\\d+$`),
        '"requests";q=4;w=60',
      ]);
    }
    const refused = await service.usage(key);
    expect(refusal(refused)).toBe('rate_limit_exceeded');
    expect(rate(refused)).toEqual([expect.stringMatching(/^"requests";r=0;t=\d+$/), '"requests";q=4;w=60']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(15);
    expect(refusal(await service.create(key))).toBe('rate_limit_exceeded');
  });

  test('counts refused requests with a valid key, but neither unknown paths nor requests with an invalid key', async () => {
    const { key } = await service.tenant({ limits: { requestsPerMinute: 3 } });
    expect(refusal(await service.create(key, {}))).toBe('invalid_parameters');
    expect(refusal(await service.usage(`${key.slice(0, -1)}_`))).toBe('invalid_api_key');
    expect(refusal(await service.request('GET', '/v1/nothing', { key }))).toBe('not_found');
    expect((await service.usage(key)).status).toBe(200);
    expect(refusal(await service.create(key, '{'))).toBe('invalid_json');
    expect(refusal(await service.usage(key))).toBe('rate_limit_exceeded');
  });
});

describe('the limit of sessions per minute', () => {
  test('refuses the first session above it, and response headers report the limit', async () => {
    const { key } = await service.tenant({ limits: { sessionsPerMinute: 3, requestsPerMinute: 100 } });
    for (const remaining of [2, 1, 0]) {
      const answer = await service.create(key);
      sessionOf(answer);
      expect(answer.headers['ratelimit-policy']).toBe('"requests";q=100;w=60, "sessions";q=3;w=60');
      expect(answer.headers.ratelimit).toMatch(
        new RegExp(`^"requests";r=\\d+;t=\\d+, "sessions";r=${remaining};t=\\d+$`),
      );
    }
    const refused = await service.create(key);
    expect(refusal(refused)).toBe('rate_limit_exceeded');
    expect(refused.headers.ratelimit).toMatch(/"sessions";r=0;t=\d+$/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(20);
    expect((await service.usage(key)).status).toBe(200);
  });

  test('counts only new sessions', async () => {
    const { key } = await service.tenant({ seconds: 1000, limits: { sessionsPerMinute: 2 } });
    const headers = { 'idempotency-key': randomUUID() };
    sessionOf(await service.create(key, { model: KIKUYU }, headers));
    sessionOf(await service.create(key, { model: KIKUYU }, headers));
    expect(refusal(await service.create(key, { model: KIKUYU, max_audio_seconds: 5 }, headers))).toBe(
      'idempotency_conflict',
    );
    expect(refusal(await service.create(key, { model: 'none' }))).toBe('model_not_found');
    sessionOf(await service.create(key));
    expect(refusal(await service.create(key))).toBe('rate_limit_exceeded');
  });

  test('of 5 admits exactly 5 sessions of a burst', async () => {
    const { key, name } = await service.tenant({ limits: { sessionsPerMinute: 5 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect((await service.admin.account(name)).credits.reserved_ms).toBe(300_000);
  });
});

test.each(['GET', 'DELETE'])(
  '%s of a session that belongs to another account or does not exist gets 404',
  async (method) => {
    const { key } = await service.tenant({ limits: { concurrentSessions: 1 } });
    const other = await service.tenant({ limits: { concurrentSessions: 1 } });
    const { id } = sessionOf(await service.create(other.key));
    for (const wrong of [id, randomUUID(), 'x', '%00', id.toUpperCase(), `${id}%20`]) {
      const answer = await service.request(method, `/v1/asr/sessions/${wrong}`, { key });
      expect([wrong, answer.status, errorOf(answer)]).toMatchObject([
        wrong,
        404,
        { type: 'not_found', code: 'session_not_found' },
      ]);
    }
  },
);
