import { gzipSync } from 'node:zlib';
import { errorOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service, ServiceRequest } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const GOOD = JSON.stringify({ model: KIKUYU });
const JSON_TYPE = { 'content-type': 'application/json' };
const LARGEST_BYTES = 16_384;

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService();
  ({ key } = await service.tenant({ seconds: 1_000_000 }));
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const post = (request: ServiceRequest) => service.request('POST', '/v1/asr/sessions', { key, ...request });
const postJson = (body: unknown) => post({ headers: JSON_TYPE, body });

describe('request parameters', () => {
  test.each([1, 300])('max_audio_seconds may be %i', async (seconds) => {
    sessionOf(await postJson({ model: KIKUYU, max_audio_seconds: seconds }));
  });

  test.each(['60.0', '6e1', '0.6E+2'])('max_audio_seconds may be written as %s', async (number) => {
    const session = sessionOf(await postJson(`{"model":"${KIKUYU}","max_audio_seconds":${number}}`));
    expect(session.credits.reserved).toBe(60);
  });

  test.each(['0', '301', '-1', '1.5', '300.0001', '1e400', '"60"', 'true', 'false', 'null', '[60]', '{}', '""'])(
    'max_audio_seconds may not be %s',
    async (value) => {
      const answer = await postJson(`{"model":"${KIKUYU}","max_audio_seconds":${value}}`);
      expect(errorOf(answer)).toMatchObject({
        code: 'invalid_parameters',
        message: expect.stringContaining('max_audio_seconds'),
      });
    },
  );

  test.each(['{}', '{"model":""}', '{"model":null}', '{"model":7}', `{"model":["${KIKUYU}"]}`, '{"model":{}}'])(
    'the model must be a non-empty string, unlike %s',
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
    ['something behind it', `${GOOD} x`],
    ['single quotes', `{'model':'${KIKUYU}'}`],
    ['a form', 'model=svc-asr-kikuyu-v1'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(GOOD, 'utf16le')],
    ['a compressed body without a Content-Encoding header', gzipSync(GOOD)],
  ])('of %s is refused', async (_what, body) => {
    expect(refusal(await postJson(body))).toBe('invalid_json');
  });

  test('is not repeated in the error message', async () => {
    const answer = await postJson('{"model": secret-in-the-body');
    expect(refusal(answer)).toBe('invalid_json');
    expect(answer.text).not.toContain('secret-in-the-body');
  });

  test('may contain white space and escapes', async () => {
    sessionOf(await postJson(`\n\t { "\\u006dodel" : "${KIKUYU}" } \r\n`));
  });
});

describe('the body size', () => {
  const padded = (bytes: number) => GOOD.padEnd(bytes, ' ');

  test.each([false, true])('may be 16,384 bytes (chunked: %s)', async (chunked) => {
    sessionOf(await post({ headers: JSON_TYPE, body: padded(LARGEST_BYTES), chunked }));
  });

  test.each([false, true])('may not be 16,385 bytes (chunked: %s)', async (chunked) => {
    const answer = await post({ headers: JSON_TYPE, body: padded(LARGEST_BYTES + 1), chunked });
    expect(refusal(answer)).toBe('request_too_large');
  });

  test('is counted in bytes rather than characters', async () => {
    const model = 'ũ'.repeat(8185);
    expect(refusal(await postJson(`{"model":"${model}"}`))).toBe('model_not_found');
    expect(refusal(await postJson(`{"model":"${model}ũũ"}`))).toBe('request_too_large');
  });

  test.each([false, true])('of several megabytes still gets the error response (chunked: %s)', async (chunked) => {
    for (let round = 0; round < 5; round++) {
      const answer = await post({ headers: JSON_TYPE, body: padded(4_000_000), chunked, options: { agent: false } });
      expect(refusal(answer)).toBe('request_too_large');
    }
  });
});

describe('the media type', () => {
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

  test.each(['gzip', 'deflate', 'br', 'x-unknown'])('with Content-Encoding %s is refused', async (encoding) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    expect(refusal(await post({ headers, body: gzipSync(GOOD) }))).toBe('unsupported_media_type');
  });

  test('with Content-Encoding identity is accepted', async () => {
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

  test('is refused if it is sent twice', async () => {
    expect(refusal(await withKey(['one', 'two']))).toBe('invalid_idempotency_key');
  });
});
