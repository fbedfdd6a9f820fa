import { randomUUID } from 'node:crypto';
import type { TestTenant } from '../support/admin.ts';
import { balanceOf, modelsOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const AUDIO = { encoding: 'pcm_s16le', sample_rate_hz: 16_000, channels: 1 };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: Service;
beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const DEFAULT_CONTEXT = { context_size: [56, 13], chunk_ms: 1120, default: true };

describe('GET /v1/models', () => {
  test('lists both models with exactly the documented fields, and needs no credentials', async () => {
    const answer = await service.request('GET', '/v1/models');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ object: 'list', data: expect.any(Array) });
    expect(modelsOf(answer).toSorted((a, b) => (a.id < b.id ? 1 : -1))).toEqual([
      {
        id: 'svc-asr-kikuyu-v1',
        object: 'model',
        capability: 'asr.streaming',
        language: 'Kikuyu',
        language_code: 'ki',
        max_audio_seconds: 300,
        audio: AUDIO,
        contexts: expect.arrayContaining([DEFAULT_CONTEXT]),
      },
      {
        id: 'svc-asr-dholuo-v1',
        object: 'model',
        capability: 'asr.streaming',
        language: 'Dholuo',
        language_code: 'luo',
        max_audio_seconds: 300,
        audio: AUDIO,
        contexts: expect.arrayContaining([DEFAULT_CONTEXT]),
      },
    ]);
  });

  test('ignores credentials', async () => {
    expect((await service.request('GET', '/v1/models', { key: 'nonsense' })).status).toBe(200);
  });

  test('has a new X-Request-Id in each response', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.request('GET', '/v1/models')));
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(20);
  });

  test('accepts GET and HEAD, ignores a query string, and refuses other methods with 405', async () => {
    expect((await service.request('HEAD', '/v1/models')).status).toBe(200);
    expect((await service.request('GET', '/v1/models?limit=1')).status).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await service.request(method, '/v1/models');
      expect(refusal(answer)).toBe('method_not_allowed');
      expect(answer.headers.allow).toBe('GET, HEAD');
    }
  });
});

describe('the API documents', () => {
  test('/openapi.json is OpenAPI 3.1 and describes version 1.0.0 of the interface', async () => {
    const answer = await service.request('GET', '/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '1.0.0' },
      servers: [expect.objectContaining({ url: service.baseUrl })],
    });
  });

  test.each([
    // The interface specification lists only 200. A gateway that has not read any catalogue yet answers 503.
    ['/v1/models', 'get', [200, 503]],
    ['/v1/asr/sessions', 'post', [201, 400, 401, 402, 403, 404, 409, 413, 415, 429, 503]],
    ['/v1/asr/sessions/{id}', 'get', [200, 401, 403, 404, 429, 503]],
    ['/v1/asr/sessions/{id}', 'delete', [204, 401, 403, 404, 429, 503]],
    ['/v1/audio/transcriptions', 'post', [200, 400, 401, 402, 403, 404, 413, 415, 429, 503]],
    ['/v1/realtime', 'get', [101, 400, 401, 403, 404, 429, 503]],
    ['/v1/usage', 'get', [200, 401, 403, 429, 503]],
  ] as const)('/openapi.json describes exactly the documented statuses of %s %s', (path, method, statuses) => {
    const responses = service.document.paths[path]?.[method]?.responses ?? {};
    expect(Object.keys(responses).map(Number)).toEqual(statuses);
    for (const [status, { headers }] of Object.entries(responses)) {
      expect(headers).toHaveProperty('X-Request-Id');
      if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
    }
  });

  test('/openapi.json requires an API key for POST /v1/asr/sessions and GET /v1/usage, and none for GET /v1/models', () => {
    const security = (path: string, method: 'get' | 'post') => service.document.paths[path]?.[method]?.security;
    expect(security('/v1/models', 'get')).toEqual([]);
    expect(security('/v1/asr/sessions', 'post')).toEqual([{ apiKey: [] }]);
    expect(security('/v1/usage', 'get')).toEqual([{ apiKey: [] }]);
  });

  test('/asyncapi.json is AsyncAPI 3 and describes the stream', async () => {
    const answer = await service.request('GET', '/asyncapi.json');
    expect(answer.body).toMatchObject({ asyncapi: expect.stringMatching(/^3\./) });
    expect(answer.text).toContain('svc.realtime.v1');
  });

  test('/docs renders both documents in a page that loads nothing from other hosts', async () => {
    const answer = await service.request('GET', '/docs');
    expect(answer.status).toBe(200);
    for (const shown of ['/v1/asr/sessions', '/v1/usage', '/v1/models', 'flush']) expect(answer.text).toContain(shown);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.text).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/);
  });

  test.each(['/openapi.json', '/asyncapi.json', '/docs'])(
    '%s is not sent again to a client that has the current version',
    async (path) => {
      const { headers } = await service.request('GET', path);
      const again = await service.request('GET', path, { headers: { 'if-none-match': String(headers.etag) } });
      expect(again.status).toBe(304);
      expect((await service.request('HEAD', path)).status).toBe(200);
      expect(refusal(await service.request('POST', path))).toBe('method_not_allowed');
    },
  );
});

describe('requests from other origins:', () => {
  const origin = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  const crossOriginHeaders = (headers: object) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  test.each([
    ['/v1/asr/sessions', 'POST'],
    [`/v1/asr/sessions/${randomUUID()}`, 'GET, HEAD, DELETE'],
    ['/v1/usage', 'GET, HEAD'],
  ])('a preflight of %s is refused', async (path, allow) => {
    const answer = await service.request('OPTIONS', path, { headers: origin });
    expect(refusal(answer)).toBe('method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
    expect(crossOriginHeaders(answer.headers)).toEqual([]);
  });

  test('responses to requests with an API key are readable by no other origin, whether the requests succeed or fail', async () => {
    const { key } = await service.tenant();
    const answers = [
      await service.create(key, undefined, origin),
      await service.create(key, {}, origin),
      await service.create('nonsense', undefined, origin),
      await service.request('GET', '/v1/usage', { key, headers: origin }),
      await service.request('GET', '/v1/usage', { headers: origin }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 401, 200, 401]);
    for (const { headers } of answers) expect(crossOriginHeaders(headers)).toEqual([]);
  });
});

describe('tenants:', () => {
  let one: TestTenant;
  let other: TestTenant;
  beforeEach(async () => {
    const limits = { concurrentSessions: 1, sessionsPerMinute: 2, requestsPerMinute: 6 };
    [one, other] = await Promise.all([
      service.tenant({ seconds: 100, limits }),
      service.tenant({ seconds: 300, limits }),
    ]);
  });

  const balance = async ({ key }: TestTenant) => balanceOf(await service.usage(key));

  test('each of two tenants sees only its own sessions and balance', async () => {
    const session = sessionOf(await service.create(one.key));
    expect(await balance(other)).toMatchObject({ available_ms: 300_000, reserved_ms: 0, recent_sessions: [] });
    const theirs = sessionOf(await service.create(other.key));
    expect(theirs.id).not.toBe(session.id);
    expect(await balance(one)).toMatchObject({ available_ms: 40_000, recent_sessions: [{ id: session.id }] });
    expect(await balance(other)).toMatchObject({ available_ms: 240_000, recent_sessions: [{ id: theirs.id }] });
  });

  test('an Idempotency-Key is scoped to its tenant', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const session = sessionOf(await service.create(one.key, { model: KIKUYU }, headers));
    const theirs = sessionOf(await service.create(other.key, { model: KIKUYU, max_audio_seconds: 7 }, headers));
    expect(theirs.id).not.toBe(session.id);
    expect(theirs.websocket_protocols[1]).not.toBe(session.websocket_protocols[1]);
    expect(sessionOf(await service.create(one.key, { model: KIKUYU }, headers))).toStrictEqual(session);
  });

  test('all API keys of a tenant share its Idempotency-Keys, sessions and limits', async () => {
    const second = await service.admin.key(one.name);
    const headers = { 'idempotency-key': randomUUID() };
    const session = sessionOf(await service.create(one.key, { model: KIKUYU }, headers));
    expect(sessionOf(await service.create(second, { model: KIKUYU }, headers))).toStrictEqual(session);
    expect(refusal(await service.create(second))).toBe('concurrency_limit_exceeded');
    expect(balanceOf(await service.usage(second)).recent_sessions).toMatchObject([{ id: session.id }]);
  });

  test('the limits of one tenant do not affect another tenant', async () => {
    sessionOf(await service.create(one.key));
    expect(refusal(await service.create(one.key))).toBe('concurrency_limit_exceeded');
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.usage(one.key)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
    sessionOf(await service.create(other.key));
    expect((await service.usage(other.key)).headers.ratelimit).toMatch(/^"requests";r=4;/);
  });

  test('suspending or deleting one tenant does not affect another tenant', async () => {
    const { id } = sessionOf(await service.create(other.key));
    sessionOf(await service.create(one.key));
    await service.admin.change(one.name, { state: 'Suspended' });
    await service.admin.call('DELETE', `/tenants/${one.name}`);
    expect(await balance(other)).toMatchObject({
      available_ms: 240_000,
      reserved_ms: 60_000,
      recent_sessions: [{ id, status: 'reserved' }],
    });
  });

  test('a tenant that is deleted and recreated has the same account, and its earlier sessions have failed', async () => {
    const { id } = sessionOf(await service.create(one.key));
    await service.admin.call('DELETE', `/tenants/${one.name}`);
    await service.admin.change(one.name, { seconds: 100 });
    const key = await service.admin.key(one.name);
    expect(balanceOf(await service.usage(key))).toMatchObject({
      available_ms: 100_000,
      reserved_ms: 0,
      consumed_ms: 0,
      recent_sessions: [{ id, status: 'failed', billable_ms: 0, completed_at: expect.any(String) }],
    });
  });
});
