import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { AsrSession } from '@svc-asr/core';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { balanceOf, errorOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service, ServiceRequest } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const KIKUYU = 'svc-asr-kikuyu-v1';
const DHOLUO = 'svc-asr-dholuo-v1';
const GOOD = JSON.stringify({ model: KIKUYU });
const JSON_TYPE = { 'content-type': 'application/json' };
const LARGEST_BYTES = 16_384;

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService({ env: { PUBLIC_URL: 'https://asr.example.test:9443/' } });
  ({ key } = await service.tenant({ seconds: 1_000_000 }));
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const post = (request: ServiceRequest) => service.request('POST', '/v1/asr/sessions', { key, ...request });
const postJson = (body: unknown) => post({ headers: JSON_TYPE, body });

describe('a created session', () => {
  test('has exactly the documented fields with their types and constants', async () => {
    const { key: own } = await service.tenant({ seconds: 1000 });
    const session = sessionOf(await service.create(own, { model: KIKUYU, max_audio_seconds: 90 }));
    const { id } = session;
    expect(id).toMatch(UUID);
    expect(session).toStrictEqual({
      id,
      object: 'asr.session',
      status: 'reserved',
      model: KIKUYU,
      websocket_url: `wss://asr.example.test:9443/v1/asr/sessions/${id}/stream`,
      websocket_protocols: ['svc.realtime.v1', expect.stringMatching(/^svc\.auth\.[A-Za-z0-9_-]{43,}$/)],
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      audio: {
        encoding: 'pcm_s16le',
        sample_rate_hz: 16_000,
        channels: 1,
        max_audio_seconds: 90,
        context_size: [56, 13],
      },
      credits: { unit: 'audio_second', reserved: 90, remaining: 910 },
    });
  });

  test.each([KIKUYU, 'svc-asr-dholuo-v1'])('has the requested model %s', async (model) => {
    expect(sessionOf(await service.create(key, { model })).model).toBe(model);
  });

  test('expires exactly 60 seconds after its creation', async () => {
    const session = sessionOf(await service.create(key));
    const [newest] = balanceOf(await service.usage(key)).recent_sessions;
    expect(newest?.id).toBe(session.id);
    expect(Date.parse(session.expires_at) - Date.parse(newest!.created_at)).toBe(60_000);
  });

  test('has a WebSocket URL built from PUBLIC_URL, whatever hosts the request names', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
    };
    const answer = await service.create(key, undefined, headers);
    expect(sessionOf(answer).websocket_url).toMatch(/^wss:\/\/asr\.example\.test:9443\/v1\/asr\/sessions\//);
    expect(answer.text).not.toContain('evil');
  });

  test('has its own credential', async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => service.create(key)));
    const parts = sessions.map(sessionOf).flatMap((session) => [session.id, session.websocket_protocols[1]]);
    expect(new Set(parts).size).toBe(20);
  });

  test('is returned with headers that forbid caching', async () => {
    const answer = await service.create(key);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.etag).toBeUndefined();
  });
});

describe('the reservation of a session', () => {
  const amounts = ({ audio, credits }: AsrSession) => [audio.max_audio_seconds, credits.reserved, credits.remaining];

  test('is 60 seconds by default', async () => {
    const { key: own } = await service.tenant({ seconds: 200 });
    expect(amounts(sessionOf(await service.create(own)))).toEqual([60, 60, 140]);
  });

  test.each([1, 2, 299, 300])('is %i seconds if requested and available', async (seconds) => {
    const session = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: seconds }));
    expect(amounts(session).slice(0, 2)).toEqual([seconds, seconds]);
  });

  test('is the remaining credit if the remaining credit is less than requested, down to one second', async () => {
    const { key: own } = await service.tenant({ seconds: 46 });
    const create = async (seconds: number) =>
      amounts(sessionOf(await service.create(own, { model: KIKUYU, max_audio_seconds: seconds })));
    await expect(create(20)).resolves.toEqual([20, 20, 26]);
    await expect(create(25)).resolves.toEqual([25, 25, 1]);
    await expect(create(300)).resolves.toEqual([1, 1, 0]);
    expect(refusal(await service.create(own, { model: KIKUYU, max_audio_seconds: 1 }))).toBe('insufficient_credits');
  });

  test('is refused if no credit is left, and nothing is reserved', async () => {
    const { key: own } = await service.tenant({ seconds: 0 });
    expect(refusal(await service.create(own))).toBe('insufficient_credits');
    expect(balanceOf(await service.usage(own))).toMatchObject({
      available_ms: 0,
      reserved_ms: 0,
      consumed_ms: 0,
      recent_sessions: [],
    });
  });

  test('is limited by the credit: parallel requests together reserve exactly the available credit', async () => {
    const { key: own } = await service.tenant({ seconds: 100 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => service.create(own, { model: KIKUYU, max_audio_seconds: 7 })),
    );
    const created = answers.filter(({ status }) => status === 201).map(sessionOf);
    expect(created.map(({ credits }) => credits.reserved).reduce((a, b) => a + b)).toBe(100);
    expect(created).toHaveLength(15);
    for (const answer of answers) if (answer.status !== 201) expect(refusal(answer)).toBe('insufficient_credits');
    expect(balanceOf(await service.usage(own))).toMatchObject({ available_ms: 0, reserved_ms: 100_000 });
  });
});

describe('request parameters', () => {
  test.each([1, 300])('max_audio_seconds can be %i', async (seconds) => {
    sessionOf(await postJson({ model: KIKUYU, max_audio_seconds: seconds }));
  });

  test.each(['60.0', '6e1', '0.6E+2'])('max_audio_seconds can be written as %s', async (number) => {
    const session = sessionOf(await postJson(`{"model":"${KIKUYU}","max_audio_seconds":${number}}`));
    expect(session.credits.reserved).toBe(60);
  });

  test.each(['0', '301', '-1', '1.5', '300.0001', '1e400', '"60"', 'true', 'false', 'null', '[60]', '{}', '""'])(
    'max_audio_seconds must not be %s',
    async (value) => {
      const answer = await postJson(`{"model":"${KIKUYU}","max_audio_seconds":${value}}`);
      expect(errorOf(answer)).toMatchObject({
        code: 'invalid_parameters',
        message: expect.stringContaining('max_audio_seconds'),
      });
    },
  );

  test.each(['{}', '{"model":""}', '{"model":null}', '{"model":7}', `{"model":["${KIKUYU}"]}`, '{"model":{}}'])(
    'the body %s is refused because the model is not a non-empty string',
    async (body) => {
      const answer = await postJson(body);
      expect(errorOf(answer)).toMatchObject({
        code: 'invalid_parameters',
        message: expect.stringContaining('model'),
      });
    },
  );

  test.each(['svc-asr-unknown-v1', 'SVC-ASR-KIKUYU-V1', `${KIKUYU} `, `${KIKUYU}\u0000`, '*', '__proto__', '\ud800'])(
    'the model %j is not found',
    async (model) => {
      expect(refusal(await postJson({ model }))).toBe('model_not_found');
    },
  );

  test.each([
    [{ model: 'none' }, 'model "none" does not exist'],
    [{ model: 7 }, 'model: must be string (received 7)'],
    [{ model: KIKUYU, max_audio_seconds: 301 }, 'max_audio_seconds: must be at most 300 (received 301)'],
  ])('the error for %j names the wrong value', async (body, message) => {
    expect(errorOf(await postJson(body)).message).toContain(message);
  });

  test('an API key in place of the model is not repeated in the error message', async () => {
    const answer = await postJson({ model: service.apiKey });
    expect(refusal(answer)).toBe('model_not_found');
    expect(answer.text).not.toContain(service.apiKey.slice(-10));
  });

  test.each(['language', 'Model', '__proto__', 'constructor', ''])(
    'the unknown field "%s" is refused',
    async (field) => {
      const answer = await postJson(`{"model":"${KIKUYU}","${field}":"x"}`);
      expect(refusal(answer)).toBe('invalid_parameters');
    },
  );

  test.each(['[]', `["${KIKUYU}"]`, 'null', '"text"', '5', 'true'])(
    'the body %s is refused because it is not an object',
    async (body) => {
      expect(refusal(await postJson(body))).toBe('invalid_parameters');
    },
  );
});

describe('a JSON body', () => {
  test.each([
    ['nothing', ''],
    ['half an object', '{"model":"svc-asr'],
    ['a comma too many', `{"model":"${KIKUYU}",}`],
    ['text after the object', `${GOOD} x`],
    ['single quotes', `{'model':'${KIKUYU}'}`],
    ['a form', 'model=svc-asr-kikuyu-v1'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(GOOD, 'utf16le')],
    ['a compressed body without a Content-Encoding header', gzipSync(GOOD)],
  ])('that contains %s is refused', async (_what, body) => {
    expect(refusal(await postJson(body))).toBe('invalid_json');
  });

  test('is not repeated in the error message', async () => {
    const answer = await postJson('{"model": secret-in-the-body');
    expect(refusal(answer)).toBe('invalid_json');
    expect(answer.text).not.toContain('secret-in-the-body');
  });

  test('can contain white space and escapes', async () => {
    sessionOf(await postJson(`\n\t { "\\u006dodel" : "${KIKUYU}" } \r\n`));
  });
});

describe('the body size', () => {
  const padded = (bytes: number) => GOOD.padEnd(bytes, ' ');

  test.each([false, true])('can be 16,384 bytes (chunked: %s)', async (chunked) => {
    sessionOf(await post({ headers: JSON_TYPE, body: padded(LARGEST_BYTES), chunked }));
  });

  test.each([false, true])('must not be 16,385 bytes (chunked: %s)', async (chunked) => {
    const answer = await post({ headers: JSON_TYPE, body: padded(LARGEST_BYTES + 1), chunked });
    expect(refusal(answer)).toBe('request_too_large');
  });

  test('is counted in bytes rather than characters', async () => {
    const model = 'ũ'.repeat(8185);
    expect(refusal(await postJson(`{"model":"${model}"}`))).toBe('model_not_found');
    expect(refusal(await postJson(`{"model":"${model}ũũ"}`))).toBe('request_too_large');
  });

  test.each([false, true])('of several megabytes is answered with an error (chunked: %s)', async (chunked) => {
    for (let round = 0; round < 5; round++) {
      const answer = await post({ headers: JSON_TYPE, body: padded(4_000_000), chunked, options: { agent: false } });
      expect(refusal(answer)).toBe('request_too_large');
    }
  });
});

describe('the format of the body', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8',
  ])('%s is accepted', async (type) => {
    sessionOf(await post({ headers: { 'content-type': type }, body: GOOD }));
  });

  test.each([
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json, text/plain',
    'json',
    '',
  ])('"%s" is refused', async (type) => {
    expect(refusal(await post({ headers: { 'content-type': type }, body: GOOD }))).toBe('unsupported_media_type');
  });

  test('is required', async () => {
    expect(refusal(await post({ body: GOOD }))).toBe('unsupported_media_type');
    expect(refusal(await post({}))).toBe('unsupported_media_type');
  });

  test.each(['gzip', 'deflate', 'br', 'x-unknown'])('a body with Content-Encoding %s is refused', async (encoding) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    expect(refusal(await post({ headers, body: gzipSync(GOOD) }))).toBe('unsupported_media_type');
  });

  test('a body with Content-Encoding identity is accepted', async () => {
    sessionOf(await post({ headers: { ...JSON_TYPE, 'content-encoding': 'identity' }, body: GOOD }));
  });
});

describe('the Idempotency-Key', () => {
  const withKey = (value: string | string[]) =>
    post({ headers: { ...JSON_TYPE, 'idempotency-key': value }, body: GOOD });

  test.each(['a', '7', 'AZaz09._:-', '0198f2c4-6d1e-7a52-9c0b-3f5d2e8a1b47', 'x'.repeat(128)])(
    '"%s" is accepted',
    async (value) => {
      sessionOf(await withKey(value));
    },
  );

  test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'a,b', 'a+b', 'a"b', 'a{b}', 'é', '*'])(
    '"%s" is refused',
    async (value) => {
      expect(refusal(await withKey(value))).toBe('invalid_idempotency_key');
    },
  );

  test('is refused if one request contains the header twice', async () => {
    expect(refusal(await withKey(['one', 'two']))).toBe('invalid_idempotency_key');
  });
});

describe('requests with an Idempotency-Key:', () => {
  const create = (apiKey: string, idempotencyKey: string, body: unknown = { model: KIKUYU }): Promise<Answer> =>
    service.create(apiKey, body, { 'idempotency-key': idempotencyKey });

  test('a repeated request returns the same session with its credential and reserves nothing more', async () => {
    const { key: own } = await service.tenant();
    const idempotencyKey = randomUUID();
    const first = await create(own, idempotencyKey);
    const second = await create(own, idempotencyKey);
    expect(sessionOf(second)).toStrictEqual(sessionOf(first));
    expect(second.headers['cache-control']).toBe('no-store');
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    const balance = balanceOf(await service.usage(own));
    expect(balance.reserved_ms).toBe(60_000);
    expect(balance.recent_sessions).toHaveLength(1);
  });

  test('a body without max_audio_seconds and a body with the default value count as the same body', async () => {
    const idempotencyKey = randomUUID();
    const first = sessionOf(await create(key, idempotencyKey, `{"model":"${KIKUYU}"}`));
    for (const body of [
      `{"model":"${KIKUYU}","max_audio_seconds":60}`,
      ` {"max_audio_seconds": 6e1, "model": "${KIKUYU}"} `,
    ]) {
      expect(sessionOf(await create(key, idempotencyKey, body))).toStrictEqual(first);
    }
  });

  test.each([
    ['another max_audio_seconds', { model: KIKUYU, max_audio_seconds: 61 }],
    ['another model', { model: DHOLUO }],
  ])('the same Idempotency-Key with %s is a conflict that changes nothing', async (_what, other) => {
    const { key: own } = await service.tenant();
    const idempotencyKey = randomUUID();
    const first = sessionOf(await create(own, idempotencyKey));
    expect(refusal(await create(own, idempotencyKey, other))).toBe('idempotency_conflict');
    expect(sessionOf(await create(own, idempotencyKey))).toStrictEqual(first);
    expect(balanceOf(await service.usage(own)).recent_sessions).toHaveLength(1);
  });

  test('another Idempotency-Key, or none, creates another session', async () => {
    const answers = [
      await create(key, 'one'),
      await create(key, 'two'),
      await service.create(key),
      await service.create(key),
    ];
    expect(new Set(answers.map((answer) => sessionOf(answer).id)).size).toBe(4);
    expect(sessionOf(await create(key, 'ONE')).id).not.toBe(sessionOf(answers[0]!).id);
  });

  test('a repeated request succeeds even if the limits and the credit allow no new session', async () => {
    const limits = { concurrentSessions: 1, sessionsPerMinute: 1 };
    const own = await service.tenant({ seconds: 45, limits });
    const idempotencyKey = randomUUID();
    const first = sessionOf(await create(own.key, idempotencyKey));
    expect(first.credits).toMatchObject({ reserved: 45, remaining: 0 });
    expect((await service.create(own.key)).status).toBe(429);
    expect(sessionOf(await create(own.key, idempotencyKey))).toStrictEqual(first);
  });

  test('100 parallel requests with one Idempotency-Key create one session', async () => {
    const { key: own, name } = await service.tenant({ limits: { concurrentSessions: 1 } });
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(Array.from({ length: 100 }, () => create(own, idempotencyKey)));
    const first = sessionOf(answers[0]!);
    for (const answer of answers) expect(sessionOf(answer)).toStrictEqual(first);
    expect(await service.admin.account(name)).toMatchObject({ live_sessions: 1, credits: { reserved_ms: 60_000 } });
    expect(balanceOf(await service.usage(own)).recent_sessions.map(({ id }) => id)).toEqual([first.id]);
  });

  test('parallel requests with one Idempotency-Key and two bodies create one session, and requests with the other body get a conflict', async () => {
    const { key: own } = await service.tenant();
    const idempotencyKey = randomUUID();
    const bodies = [{ model: KIKUYU }, { model: DHOLUO }];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => create(own, idempotencyKey, bodies[at % bodies.length])),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(refusal)).toEqual(Array.from({ length: 20 }, () => 'idempotency_conflict'));
    const created = answers.filter(({ status }) => status === 201).map(sessionOf);
    expect(new Set(created.map(({ id }) => id)).size).toBe(1);
    expect(balanceOf(await service.usage(own)).reserved_ms).toBe(60_000);
  });

  test('a refused request can be repeated with the same Idempotency-Key', async () => {
    const own = await service.tenant({ seconds: 0 });
    const idempotencyKey = randomUUID();
    expect(refusal(await create(own.key, idempotencyKey, '{'))).toBe('invalid_json');
    expect(refusal(await create(own.key, idempotencyKey, {}))).toBe('invalid_parameters');
    expect(refusal(await create(own.key, idempotencyKey, { model: 'none' }))).toBe('model_not_found');
    expect(refusal(await create(own.key, idempotencyKey))).toBe('insufficient_credits');
    await service.admin.call('POST', `/tenants/${own.name}/grants`, { id: 'later', audio_seconds: 30 });
    const session = await eventually('the grant is applied', 30_000, async () => {
      const answer = await create(own.key, idempotencyKey, { model: DHOLUO });
      return answer.status === 201 && sessionOf(answer);
    });
    expect(session).toMatchObject({ model: DHOLUO, credits: { reserved: 30, remaining: 0 } });
  });
});
