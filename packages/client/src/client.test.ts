import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { format, inspect } from 'node:util';
import { startTestService, TEST_KEY } from '../../../test/support/scripted-service/service.ts';
import { createClient } from './client.ts';
import { SvcAsrError, SvcAsrUnreachable } from './error.ts';

const KEY = 'svc_live_v1_0123456789_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa123456';
const SESSION = {
  id: '6f1c0000-0000-4000-8000-000000000000',
  object: 'asr.session',
  model: 'svc-asr-kikuyu-v1',
  websocket_protocols: ['svc.realtime.v1', 'svc.auth.s3cret'],
  expires_at: '2026-01-01T00:01:00Z',
};

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
const seen: {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => (seen.length = 0));

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = (options = {}) => createClient({ baseUrl: baseUrl(), apiKey: KEY, ...options });
const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  answer = (_request, response) => response.writeHead(status, headers).end(JSON.stringify(body));
};
const errorBody = (code: string) => ({ error: { type: 't', code, message: 'No.', request_id: 'r-1' } });

test('listModels sends no API key', async () => {
  reply(200, { object: 'list', data: [{ id: 'm' }] });
  expect(await client().listModels()).toEqual([{ id: 'm' }]);
  expect([seen[0]?.url, seen[0]?.headers.authorization]).toEqual(['/v1/models', undefined]);
});

test('createSession sends the API key, the body and a new or the given idempotency key', async () => {
  reply(201, SESSION);
  await client().createSession({ model: 'm' });
  await client().createSession({ model: 'm', maxAudioSeconds: 5, idempotencyKey: 'mine' });
  const [first, second] = seen;
  expect(first).toMatchObject({ method: 'POST', url: '/v1/asr/sessions', body: '{"model":"m"}' });
  expect(first?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' });
  expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  expect(second?.body).toBe('{"model":"m","max_audio_seconds":5}');
  expect(second?.headers['idempotency-key']).toBe('mine');
});

test('secrets are left out when a client or session is printed, but are in the JSON of a session', async () => {
  reply(201, SESSION);
  const asrClient = client();
  const session = await asrClient.createSession({ model: 'm' });
  for (const value of [asrClient, session]) {
    const asText: (value: unknown) => string = String;
    for (const text of [asText(value), inspect(value), inspect([value]), format('%s %o', value, [value])]) {
      expect(text).not.toMatch(/s3cret|aaaaaaaa/);
    }
  }
  expect(inspect(session)).toContain(SESSION.id);
  expect(JSON.parse(JSON.stringify(session))).toEqual(SESSION);
  expect({ ...session }).toEqual(SESSION);
});

test('a refused request throws an SvcAsrError with the fields of the error body', async () => {
  reply(402, errorBody('insufficient_credits'));
  const error = await client()
    .usage()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SvcAsrError);
  expect(error).toMatchObject({
    status: 402,
    type: 't',
    code: 'insufficient_credits',
    message: 'No.',
    requestId: 'r-1',
  });
  expect(inspect(error)).not.toContain('aaaaaaaa');
  expect(seen).toHaveLength(1);
});

test('createSession retries after 503 with the same idempotency key and body', async () => {
  answer = (_request, response) => {
    if (seen.length < 3) response.writeHead(503, { 'retry-after': '0' }).end(JSON.stringify(errorBody('no_capacity')));
    else response.writeHead(201).end(JSON.stringify(SESSION));
  };
  await client().createSession({ model: 'm' });
  expect(seen).toHaveLength(3);
  expect(new Set(seen.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`)).size).toBe(1);
});

test('createSession retries with the same idempotency key after the connection breaks', async () => {
  answer = (request, response) => {
    if (seen.length < 2) request.socket.destroy();
    else response.writeHead(201).end(JSON.stringify(SESSION));
  };
  expect((await client().createSession({ model: 'm', idempotencyKey: 'k' })).id).toBe(SESSION.id);
  expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
});

test('createSession does not retry after 429 concurrency_limit_exceeded', async () => {
  reply(429, errorBody('concurrency_limit_exceeded'), { 'retry-after': '1' });
  await expect(client().createSession({ model: 'm' })).rejects.toMatchObject({ status: 429, retryAfterS: 1 });
  expect(seen).toHaveLength(1);
});

test('a server certificate of an unknown CA throws SvcAsrUnreachable, whose message names NODE_EXTRA_CA_CERTS', async () => {
  const service = await startTestService();
  const options = { baseUrl: service.url, apiKey: TEST_KEY, maxRetries: 0 };
  await expect(createClient(options).usage()).rejects.toThrow('set NODE_EXTRA_CA_CERTS to the CA file');
  service.close();
});

test('a request without a response throws SvcAsrUnreachable after its timeout', async () => {
  answer = () => undefined;
  const slow = client({ maxRetries: 0 }).usage({ timeoutMs: 50 });
  await expect(slow).rejects.toThrow(SvcAsrUnreachable);
  await expect(slow).rejects.toThrow('no answer within 50 ms');
});

test('an aborted signal ends a request or a wait between retries with the reason of the signal', async () => {
  answer = () => undefined;
  const controller = new AbortController();
  const waiting = client().usage({ signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await expect(waiting).rejects.toThrow('enough');
  reply(503, errorBody('x'), { 'retry-after': '30' });
  await expect(client().usage({ signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(client().usage({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
});

test.each([
  ['', 200],
  ['<html>svc.auth.s3cret', 200],
  ['1', 201],
])('the response body %j throws the error unexpected_response, which does not quote the body', async (text, status) => {
  answer = (_request, response) => response.writeHead(status).end(text);
  const error = await client({ maxRetries: 0 })
    .usage()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unexpected_response', status });
  expect(inspect(error)).not.toContain('s3cret');
});

test('the client does not follow a redirect, which would send the API key elsewhere', async () => {
  reply(302, {}, { location: `${baseUrl()}/elsewhere` });
  await expect(client({ maxRetries: 0 }).usage()).rejects.toThrow(SvcAsrUnreachable);
  expect(seen).toHaveLength(1);
});

test.each(['a'.repeat(128), 'A-z0.9_:'])('createSession accepts the idempotency key %s', async (idempotencyKey) => {
  reply(201, SESSION);
  expect((await client().createSession({ model: 'm', idempotencyKey })).id).toBe(SESSION.id);
});

test.each(['', 'a'.repeat(129), 'a b', 'ä'])(
  'createSession refuses the idempotency key "%s" before any request',
  async (idempotencyKey) => {
    await expect(client().createSession({ model: 'm', idempotencyKey })).rejects.toThrow(TypeError);
    expect(seen).toHaveLength(0);
  },
);

test('a call without the required API key throws, and the error for an invalid API key does not quote the key', async () => {
  await expect(createClient({ baseUrl: baseUrl() }).usage()).rejects.toThrow('requires an apiKey');
  const broken = () => client({ apiKey: `${KEY}\n` });
  expect(broken).toThrow('apiKey contains invalid characters');
  expect(broken).not.toThrow('aaaaaaaa');
});

test('the sources of the client import nothing that browsers lack', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  expect(files).toEqual(expect.arrayContaining(['client.ts', 'stream/stream.ts', 'audio/converter.ts']));
  for (const file of files) {
    expect(readFileSync(new URL(file, folder), 'utf8')).not.toMatch(/from 'node:|from 'ws'|\bBuffer\b|process\./);
  }
});
