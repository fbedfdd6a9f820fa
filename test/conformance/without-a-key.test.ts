import { modelsOf, refusal } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const AUDIO = { encoding: 'pcm_s16le', sample_rate_hz: 16_000, channels: 1 };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('GET /v1/models', () => {
  test('lists both models with exactly the documented fields, without credentials', async () => {
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
      },
      {
        id: 'svc-asr-dholuo-v1',
        object: 'model',
        capability: 'asr.streaming',
        language: 'Dholuo',
        language_code: 'luo',
        max_audio_seconds: 300,
        audio: AUDIO,
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

  test('accepts HEAD and a query, and no other method', async () => {
    expect((await service.request('HEAD', '/v1/models')).status).toBe(200);
    expect((await service.request('GET', '/v1/models?limit=1')).status).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await service.request(method, '/v1/models');
      expect(refusal(answer)).toBe('method_not_allowed');
      expect(answer.headers.allow).toBe('GET, HEAD');
    }
  });
});

describe('documents', () => {
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
    // The interface lists only 200. A gateway that has not read any catalogue yet answers 503.
    ['/v1/models', 'get', [200, 503]],
    ['/v1/asr/sessions', 'post', [201, 400, 401, 402, 403, 404, 409, 413, 415, 429, 503]],
    ['/v1/usage', 'get', [200, 401, 403, 429, 503]],
  ] as const)('%s is described with the documented statuses', (path, method, statuses) => {
    const responses = service.document.paths[path]?.[method]?.responses ?? {};
    expect(Object.keys(responses).map(Number)).toEqual(statuses);
    for (const [status, { headers }] of Object.entries(responses)) {
      expect(headers).toHaveProperty('X-Request-Id');
      if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
    }
  });

  test('only authenticated routes of the interface require a key', () => {
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

  test('/docs renders both documents in a page that may load nothing from elsewhere', async () => {
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

describe('requests from other origins', () => {
  const origin = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  const crossOriginHeaders = (headers: object) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  test.each([
    ['/v1/asr/sessions', 'POST'],
    ['/v1/usage', 'GET, HEAD'],
  ])('a preflight of %s is refused', async (path, allow) => {
    const answer = await service.request('OPTIONS', path, { headers: origin });
    expect(refusal(answer)).toBe('method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
    expect(crossOriginHeaders(answer.headers)).toEqual([]);
  });

  test('authenticated responses are readable by no other origin, whether they succeed or fail', async () => {
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
