import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { balanceOf, errorOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
/** Long enough that a busy machine can send several requests before a session expires. */
const TTL_MS = 8000;
/** Time limit for the return of an expired reservation without any request, on a busy machine. */
const RETURNED_WITHIN_MS = 30_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { SESSION_TTL_MS: String(TTL_MS) } });
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

/** Resolves when the tenant has no live session. It asks the admin API, so the tenant itself sends no request. */
async function waitUntilReturned(name: string, expiresAt: string): Promise<void> {
  const deadlineMs = Date.parse(expiresAt) + RETURNED_WITHIN_MS;
  await eventually('the reservation is returned', deadlineMs - Date.now(), async () => {
    const { live_sessions: live, credits } = await service.admin.account(name);
    if (live !== 0) return false;
    expect(credits.reserved_ms).toBe(0);
    return Date.now() >= Date.parse(expiresAt);
  });
}

describe('the concurrency limit', () => {
  test('of a model refuses a second session of this model only, and names the model', async () => {
    const models = [{ model: KIKUYU, concurrentSessions: 1 }];
    const { key } = await service.tenant({ limits: { concurrentSessions: 2, models } });
    const { id } = sessionOf(await service.create(key, { model: KIKUYU }));
    const refused = await service.create(key, { model: KIKUYU });
    expect(errorOf(refused)).toMatchObject({
      type: 'rate_limit_error',
      code: 'concurrency_limit_exceeded',
      message: expect.stringMatching(`sessions of the model ${KIKUYU}: 1\\. .* DELETE `),
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(sessionOf(await service.create(key, { model: 'svc-asr-dholuo-v1' })).id).not.toBe(id);
  });

  test('refuses a second session until the first expires, which needs no request of the tenant', async () => {
    const { key, name } = await service.tenant({ limits: { concurrentSessions: 1 } });
    const { expires_at: expiresAt, id } = sessionOf(await service.create(key));
    const refused = await service.create(key);
    expect(errorOf(refused)).toMatchObject({
      type: 'rate_limit_error',
      code: 'concurrency_limit_exceeded',
      message: expect.stringMatching(/^The account already has an active or reserved ASR session\. .* DELETE /),
    });
    const retryAfterS = Number(refused.headers['retry-after']);
    expect(retryAfterS).toBeGreaterThanOrEqual(1);
    expect(retryAfterS).toBeLessThanOrEqual(TTL_MS / 1000);

    await waitUntilReturned(name, expiresAt);
    expect(balanceOf(await service.usage(key)).recent_sessions).toMatchObject([{ id, status: 'expired' }]);
    sessionOf(await service.create(key));
  });

  test('admits a new session at once after the first was cancelled', async () => {
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

  test.each(['GET', 'DELETE'])('%s of a session that the account does not have is refused', async (method) => {
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
  });

  test('admits a new session after the time in Retry-After', async () => {
    const { key } = await service.tenant({ limits: { concurrentSessions: 1 } });
    sessionOf(await service.create(key));
    const { headers } = await service.create(key);
    await sleep(Number(headers['retry-after']) * 1000);
    sessionOf(await service.create(key));
  });

  test('can be raised by an administrator', async () => {
    const { key, name } = await service.tenant({ limits: { concurrentSessions: 3 } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const answer of answers) if (answer.status !== 201) expect(refusal(answer)).toBe('concurrency_limit_exceeded');
    expect(await service.admin.account(name)).toMatchObject({ live_sessions: 3, credits: { reserved_ms: 180_000 } });
  });

  test('is five for the key that npm start prints, whose rate limits are practically unlimited', async () => {
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

describe('after a session has expired', () => {
  test('its Idempotency-Key creates a new session, also with another body', async () => {
    const { key } = await service.tenant();
    const headers = { 'idempotency-key': randomUUID() };
    const first = sessionOf(await service.create(key, { model: KIKUYU }, headers));
    expect(sessionOf(await service.create(key, { model: KIKUYU }, headers))).toStrictEqual(first);
    await sleep(Date.parse(first.expires_at) - Date.now() + 5);
    const second = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: 7 }, headers));
    expect(second.id).not.toBe(first.id);
    expect(second.websocket_protocols[1]).not.toBe(first.websocket_protocols[1]);
    expect(second.credits.reserved).toBe(7);
  });

  test('the reservations of many sessions are returned together', async () => {
    const { key, name } = await service.tenant({ seconds: 3000 });
    const sessions = await Promise.all(Array.from({ length: 40 }, () => service.create(key)));
    const last = sessions
      .map((answer) => sessionOf(answer).expires_at)
      .toSorted()
      .at(-1)!;
    await waitUntilReturned(name, last);
    expect((await service.admin.account(name)).credits).toMatchObject({ available_ms: 3_000_000, consumed_ms: 0 });
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

  test('admits exactly that many requests of a burst, and one more after Retry-After', async () => {
    // A low limit, because a busy machine may need seconds for the burst and the limit allows more meanwhile.
    const { key } = await service.tenant({ limits: { requestsPerMinute: 6 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.usage(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    const refused = answers.find(({ status }) => status === 429)!;
    await sleep(Number(refused.headers['retry-after']) * 1000);
    expect((await service.usage(key)).status).toBe(200);
  });

  test('counts refused requests with a valid key but not those with an invalid one', async () => {
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

  test('admits exactly that many sessions of a burst', async () => {
    const { key, name } = await service.tenant({ limits: { sessionsPerMinute: 5 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect((await service.admin.account(name)).credits.reserved_ms).toBe(300_000);
  });
});
