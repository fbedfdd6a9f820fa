import { connect } from 'node:net';
import type { Answer } from '../support/answer.ts';
import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { sendRaw } from '../support/raw.ts';
import { errorOf, refusal } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService({ env: { HEADERS_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '3000' } });
  ({ key } = await service.tenant());
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

describe('an unknown path', () => {
  test.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/models/',
    '/V1/models',
    '//v1/models',
    '/v2/models',
    '/v1/models/svc-asr-kikuyu-v1',
    '/v1/asr',
    '/v1/asr/sessions/',
    '/v1/usage/x',
    '/%zz',
    '/livez',
    '/readyz',
    '/metrics',
    '/admin/v1/tenants',
    '/favicon.ico',
  ])('%s answers 404 not_found with and without a key', async (path) => {
    expect(refusal(await service.request('GET', path))).toBe('not_found');
    expect(refusal(await service.request('POST', path, { key, body: '{' }))).toBe('not_found');
  });
});

describe('a method that a path does not support:', () => {
  test.each([
    ['GET', '/v1/asr/sessions', 'POST'],
    ['PUT', '/v1/asr/sessions', 'POST'],
    ['DELETE', '/v1/asr/sessions', 'POST'],
    ['TRACE', '/v1/asr/sessions', 'POST'],
    ['POST', '/v1/asr/sessions/x', 'GET, HEAD, DELETE'],
    ['POST', '/v1/usage', 'GET, HEAD'],
    ['PATCH', '/v1/usage', 'GET, HEAD'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/docs', 'GET, HEAD'],
  ])('%s %s answers 405 with Allow: %s', async (method, path, allow) => {
    for (const request of [{}, { key }]) {
      const answer = await service.request(method, path, request);
      expect(refusal(answer)).toBe('method_not_allowed');
      expect(answer.headers.allow).toBe(allow);
    }
  });

  test('HEAD is answered without a body at a path that does not support GET', async () => {
    const answer = await send(`${service.baseUrl}/v1/asr/sessions`, { method: 'HEAD', ca: service.ca, agent: false });
    expect(answer).toMatchObject({ status: 405, text: '', headers: { allow: 'POST' } });
    expect(answer.headers['x-request-id']).toMatch(UUID);
  });
});

describe('the request id', () => {
  test('is generated for each request and is the same in header and body of the response', async () => {
    const given = '11111111-2222-4333-8444-555555555555';
    const headers = { 'x-request-id': given, 'request-id': given, 'x-correlation-id': given };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.request('GET', '/v1/usage', { headers })),
    );
    const ids = answers.map((answer) => errorOf(answer).request_id);
    expect(new Set(ids).size).toBe(20);
    expect(ids).not.toContain(given);
    expect(answers.map((answer) => answer.headers['x-request-id'])).toEqual(ids);
  });

  test('is contained in the log line of the request', async () => {
    const { request_id: id } = errorOf(await service.create(key, {}));
    expect(await logged(id)).toMatchObject({ status: 400, code: 'invalid_parameters', method: 'POST' });
  });

  test('is logged together with the trace id from the traceparent of the caller', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { request_id: id } = errorOf(await service.request('GET', '/v1/usage', { headers }));
    expect(await logged(id)).toMatchObject({ trace_id: traceId });
  });
});

/** Returns the log line of a request. */
async function logged(requestId: string): Promise<unknown> {
  const line = await eventually('the request is logged', 30_000, () => {
    const lines = service.logs().split('\n');
    return lines.find((entry) => entry.includes(requestId));
  });
  return JSON.parse(line);
}

describe('an error message', () => {
  test('does not repeat a secret that was sent as key, model, field or Idempotency-Key', async () => {
    const secret = `svc_live_v1_0000000000_${'s'.repeat(38)}`;
    const answers = [
      await service.request('GET', '/v1/usage', { key: secret }),
      await service.create(key, { model: secret }),
      await service.create(key, { model: 'svc-asr-kikuyu-v1', [secret.slice(0, 12)]: secret }),
      await service.create(key, undefined, { 'idempotency-key': `${secret} ` + secret }),
    ];
    expect(answers.map(refusal)).toEqual([
      ...['invalid_api_key', 'model_not_found', 'invalid_parameters', 'invalid_idempotency_key'],
    ]);
    for (const { text } of answers) expect(text).not.toContain('sssss');
  });
});

describe('invalid HTTP:', () => {
  const host = 'Host: localhost\r\n';

  function expectErrorForm(answer: Answer, status: number): void {
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-request-id']).toMatch(UUID);
    expect(answer.body).toEqual({
      error: {
        type: 'invalid_request_error',
        code: expect.any(String),
        message: expect.any(String),
        request_id: answer.headers['x-request-id'],
      },
    });
  }

  test.each([
    ['garbage', '\u0000\u0001\u0002 not http\r\n\r\n'],
    ['an unknown version', `GET /v1/models HTTP/9.9\r\n${host}\r\n`],
    ['an unknown method', `BREW /v1/models HTTP/1.1\r\n${host}\r\n`],
    ['a request without Host', 'GET /v1/models HTTP/1.1\r\n\r\n'],
    ['a header without a colon', `GET /v1/models HTTP/1.1\r\n${host}broken header\r\n\r\n`],
    ['a negative length', `POST /v1/asr/sessions HTTP/1.1\r\n${host}Content-Length: -5\r\n\r\n`],
    ['two lengths', `POST /v1/asr/sessions HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345`],
    [
      'a Content-Length with chunked encoding',
      `POST /v1/asr/sessions HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['an expectation that cannot be met', `GET /v1/models HTTP/1.1\r\n${host}Expect: miracles\r\n\r\n`],
    ['a path with a space', `GET /v1 /models HTTP/1.1\r\n${host}\r\n`],
  ])('%s gets 400 in the common error format', async (_what, bytes) => {
    expectErrorForm(await sendRaw(service.baseUrl, service.ca, bytes), 400);
  });

  test('a request with oversized headers gets 431', async () => {
    const bytes = `GET /v1/models HTTP/1.1\r\n${host}X-Large: ${'x'.repeat(40_000)}\r\n\r\n`;
    expectErrorForm(await sendRaw(service.baseUrl, service.ca, bytes), 431);
  });

  test.each([
    ['headers', `GET /v1/models HTTP/1.1\r\n${host}X-Never: end`],
    ['body', `POST /v1/asr/sessions HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n`],
  ])('a request with incomplete %s gets 408', async (_what, bytes) => {
    const rest = bytes.includes('POST') ? `Authorization: Bearer ${key}\r\n\r\n{"model"` : '';
    expectErrorForm(await sendRaw(service.baseUrl, service.ca, bytes + rest), 408);
  });

  test('a path that cannot be decoded is treated as an unknown path', async () => {
    const bytes = `GET /%zz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    expect(refusal(await sendRaw(service.baseUrl, service.ca, bytes))).toBe('not_found');
  });

  test('requests on other connections are still answered afterwards', async () => {
    expect((await service.request('GET', '/v1/models')).status).toBe(200);
  });
});

describe('while Redis does not respond', () => {
  let pid: number;
  beforeAll(async () => {
    pid = await redisPid(service.redisUrl);
    await freeze(pid);
  });
  afterAll(async () => {
    thaw(pid);
    await eventually('the service works again', 30_000, async () => {
      return (await service.usage(key)).status === 200;
    });
  });

  test.each(['usage', 'create'] as const)('a %s request gets 503 with Retry-After', async (what) => {
    const answer = await service[what](key);
    expect(refusal(answer)).toBe('service_unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(0);
  });

  test('routes that need no Redis still work', async () => {
    for (const path of ['/v1/models', '/openapi.json', '/asyncapi.json', '/docs']) {
      expect((await service.request('GET', path)).status).toBe(200);
    }
    expect(refusal(await service.request('GET', '/v1/nothing'))).toBe('not_found');
    expect(refusal(await service.request('DELETE', '/v1/usage'))).toBe('method_not_allowed');
    expect(refusal(await service.request('GET', '/v1/usage'))).toBe('missing_api_key');
    expect(refusal(await service.usage('nonsense'))).toBe('invalid_api_key');
    expect((await send(`${service.local.gateway_admin_url}/livez`)).status).toBe(200);
  });
});

/** Returns the process id of a running Redis. */
async function redisPid(url: string): Promise<number> {
  const { port, password } = new URL(url);
  const info = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`AUTH ${password}\r\nINFO server\r\nQUIT\r\n`),
    );
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  const pid = Number(/process_id:(\d+)/.exec(info)?.[1]);
  if (!(pid > 0)) throw new Error('INFO of Redis has no process id');
  return pid;
}
