import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { format, inspect } from 'node:util';
import type { AsrSession } from '@svc-asr/core';
import { WebSocket } from 'ws';
import { send } from '../../../../test/support/answer.ts';
import { createClient } from '../client.ts';
import { SvcAsrError, SvcAsrUnreachable } from '../error.ts';
import type { Fetch } from '../exchange.ts';
import { startTestService, TEST_KEY } from '../../../../test/support/scripted-service/service.ts';
import type { TestService } from '../../../../test/support/scripted-service/service.ts';
import { SvcAsrStreamEnded, SvcAsrStreamError } from './failure.ts';
import type { StreamOptions } from './options.ts';
import { openStream } from './stream.ts';

let service: TestService;
let options: StreamOptions;
/** Sends a request and trusts the CA of the test service. The global `fetch` has no option for a CA. */
const fetch: Fetch = async (url, { method, headers, body, signal }) => {
  const answer = await send(url, { method, headers, body, signal, ca: service.ca });
  return {
    status: answer.status,
    headers: { get: (name) => [answer.headers[name] ?? null].flat()[0] ?? null },
    text: () => Promise.resolve(answer.text),
  };
};
const client = () => createClient({ baseUrl: service.url, apiKey: TEST_KEY, fetch });
const newSession = () => client().createSession({ model: 'svc-asr-kikuyu-v1' });
const open = async (extra: StreamOptions = {}) => openStream(await newSession(), { ...options, ...extra });
const received = () => service.streams.at(-1)!;

beforeAll(async () => {
  service = await startTestService();
  options = {
    webSocket: class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { ca: service.ca });
      }
    },
  };
});
beforeEach(() => {
  Object.assign(service, { script: {}, refusal: undefined, handshakeRefusal: undefined, creditSeconds: 3600 });
});
afterAll(() => service.close());

async function collect(stream: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.then(String, (error: unknown) => error);

test('client.stream creates a session, delivers events in order and resolves flush() with its final', async () => {
  const stream = client().stream({ model: 'svc-asr-kikuyu-v1', maxAudioSeconds: 5 }, options);
  const events = collect(stream);
  await stream.send(new Int16Array(20_000).fill(7));
  expect(await stream.flush()).toMatchObject({ text: '20000 samples', utterance: 1 });
  expect(await stream.ready).toMatchObject({ chunk_samples: 17_920, max_audio_seconds: 5 });
  expect(await stream.close()).toMatchObject({ code: 1000, advice: { retry: 'never' } });
  expect(await events).toEqual(['status', 'ready', 'delta', 'final']);
  expect(Buffer.concat(received().audio)).toEqual(Buffer.from(new Int16Array(20_000).fill(7).buffer));
});

test('stream.send cuts audio of any length into frames of at most 65,536 bytes', async () => {
  const stream = await open();
  const bytes = Uint8Array.from({ length: 150_001 }, (_, n) => n);
  // Not awaited, because the stream must keep the order of calls that overlap.
  void stream.send(bytes.subarray(0, 3));
  void stream.send(bytes.slice(3, 150_000).buffer);
  void stream.send(bytes.subarray(150_000));
  expect(await stream.flush()).toMatchObject({ text: '75000 samples' });
  expect(Math.max(...received().frameBytes)).toBe(65_536);
  expect(Buffer.concat(received().audio)).toEqual(Buffer.from(bytes.subarray(0, 150_000)));
  await stream.close();
});

test('each flush() resolves with its own final, and reset() starts the next utterance', async () => {
  const stream = await open();
  const finals = [1, 2, 3].map((n) => {
    void stream.send(new Int16Array(n * 100));
    return stream.flush();
  });
  expect((await Promise.all(finals)).map(({ text }) => text)).toEqual(['100 samples', '200 samples', '300 samples']);
  void stream.send(new Int16Array(50));
  expect(await stream.reset()).toEqual({ type: 'reset_ack', utterance: 5 });
  expect(await stream.flush()).toMatchObject({ text: '0 samples', utterance: 5 });
  await stream.keepAlive();
  await stream.close();
  expect(received().messages.at(-1)).toEqual({ type: 'keepalive' });
});

test('stream.config() resolves with its acknowledgement, and rejects without closing the stream if the config is refused', async () => {
  service.script = { readyAfterMs: 20 };
  const stream = await open();
  expect(await stream.config({ language: 'ki', context: [56, 3] })).toMatchObject({ chunk_samples: 5120 });
  const refused = await thrown(stream.config({ language: 'sw' }));
  expect(refused).toBeInstanceOf(SvcAsrStreamError);
  expect(refused).toMatchObject({ code: 'invalid_config' });
  expect(await stream.config()).toMatchObject({ chunk_samples: 17_920 });
  await stream.close();
});

test('stream.send waits while more than maxBufferedBytes are buffered', async () => {
  service.script = { stallMs: 3000 };
  const stream = client().stream({ model: 'm', maxAudioSeconds: 300 }, { ...options, maxBufferedBytes: 65_536 });
  await stream.ready;
  let isSent = false;
  const sending = (async () => {
    // This is more audio than fits into the socket buffers of the kernel.
    for (let n = 0; n < 10; n++) await stream.send(new Int16Array(400_000));
    isSent = true;
  })();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect([isSent, received().audio]).toEqual([false, []]);
  await sending;
  expect(await stream.flush()).toMatchObject({ text: '4000000 samples' });
  await stream.close();
});

test('the stream receives a final without a flush when the session reaches its audio limit', async () => {
  service.creditSeconds = 1;
  const stream = await open();
  const events = collect(stream);
  await stream.send(new Int16Array(20_000));
  expect(await stream.closed).toMatchObject({ code: 1000, reason: 'audio_limit_reached' });
  expect(await events).toEqual(['status', 'ready', 'final']);
  expect(await thrown(stream.send(new Int16Array(1)))).toBeInstanceOf(SvcAsrStreamEnded);
});

test('pending calls reject with close code and advice when the service ends the stream', async () => {
  service.script = { closeAtFlush: { code: 1011, error: 'internal_error' } };
  const stream = await open();
  const events = collect(stream);
  const [flush, reset] = [stream.flush(), stream.reset()];
  const error = await thrown(flush);
  expect(error).toBeInstanceOf(SvcAsrStreamEnded);
  expect(error).toMatchObject({
    code: 1011,
    reason: 'internal_error',
    advice: { retry: 'new-session', charged: false },
  });
  expect(String(error)).toContain('nothing is charged');
  expect(await thrown(reset)).toBeInstanceOf(SvcAsrStreamEnded);
  expect(await stream.closed).toMatchObject({ code: 1011 });
  expect(await events).toEqual(['status', 'ready', 'error']);
});

test('a broken connection closes the stream with 1006 and the advice to create a new session', async () => {
  service.script = { breakAtSamples: 100 };
  const stream = await open();
  await stream.send(new Int16Array(100));
  expect(await stream.closed).toMatchObject({ code: 1006, advice: { retry: 'new-session', charged: undefined } });
});

test('the promise "ready" rejects with the error of the service if the credential was already used', async () => {
  const session = await newSession();
  const first = openStream(session, options);
  await first.ready;
  const second = openStream(session, options);
  const error = await thrown(second.ready);
  expect(error).toBeInstanceOf(SvcAsrError);
  expect(error).toMatchObject({ status: 401, code: 'invalid_session_credential', requestId: 'r-1' });
  expect(await thrown(collect(second))).toBe(error);
  expect(await second.closed).toMatchObject({ code: 1006, error, advice: { retry: 'new-session' } });
  await first.close();
});

test('if the service refuses the session, the calls of the stream fail with the error of the service', async () => {
  service.refusal = { status: 402, code: 'insufficient_credits', message: 'No credit.' };
  const stream = client().stream({ model: 'm' }, options);
  expect(await thrown(stream.flush())).toMatchObject({ status: 402, code: 'insufficient_credits' });
  expect(await stream.closed).toMatchObject({ code: 1006, advice: { retry: 'never', meaning: 'No credit.' } });
});

test('the promise "ready" rejects with SvcAsrUnreachable if the CA is unknown or the service is unreachable', async () => {
  const unknown = await thrown(openStream(await newSession()).ready);
  expect(unknown).toBeInstanceOf(SvcAsrUnreachable);
  expect(String(unknown)).toContain('self-signed certificate; set NODE_EXTRA_CA_CERTS to the CA file');
  const missing = { ...(await newSession()), websocket_url: 'wss://localhost:1/' };
  expect(String(await thrown(openStream(missing, options).ready))).toContain('ECONNREFUSED');
});

test('a stream with the global WebSocket works, but reports a refused handshake as SvcAsrUnreachable', async () => {
  const plain = await startTestService({ isPlain: true });
  const session = await createClient({ baseUrl: plain.url, apiKey: TEST_KEY }).createSession({ model: 'm' });
  const stream = openStream(session, { webSocket: globalThis.WebSocket });
  const events = collect(stream);
  void stream.send(new Int16Array(100_000));
  expect(await stream.flush()).toMatchObject({ text: '100000 samples' });
  expect(await stream.close()).toMatchObject({ code: 1000 });
  expect(await events).toEqual(['status', 'ready', 'delta', 'delta', 'delta', 'final']);
  const again = openStream(session, { webSocket: globalThis.WebSocket });
  expect(await thrown(again.ready)).toBeInstanceOf(SvcAsrUnreachable);
  plain.close();
});

test('an aborted signal ends the stream and all calls at once with the reason of the signal', async () => {
  service.script = { ignoresFlush: true };
  const controller = new AbortController();
  const stream = await open({ signal: controller.signal });
  const [events, flush] = [thrown(collect(stream)), thrown(stream.flush())];
  await stream.ready;
  const reason = new Error('enough');
  controller.abort(reason);
  expect(await Promise.all([events, flush])).toEqual([reason, reason]);
  expect(await stream.closed).toMatchObject({ code: 1000, reason: 'aborted' });
  expect(await received().closeCode).toBe(1006);
  const before = await open({ signal: AbortSignal.abort(reason) });
  expect(await thrown(before.ready)).toBe(reason);
});

test('stream.close() before the message ready ends the stream and rejects pending calls', async () => {
  service.script = { readyAfterMs: 60_000 };
  const stream = await open();
  const sending = thrown(stream.send(new Int16Array(10)));
  for await (const { type } of stream) if (type === 'status') break;
  expect(await stream.close()).toMatchObject({ code: 1000 });
  expect(await sending).toBeInstanceOf(SvcAsrStreamEnded);
});

test('the stream ends after silenceTimeoutMs without a message, and the handshake after connectTimeoutMs', async () => {
  service.script = { ignoresFlush: true };
  const stream = await open({ silenceTimeoutMs: 100 });
  expect(await thrown(stream.flush())).toMatchObject({ code: 1006, reason: 'silence' });
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const session = {
    ...(await newSession()),
    websocket_url: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
  };
  const slow = await thrown(openStream(session, { connectTimeoutMs: 50 }).ready);
  expect(slow).toBeInstanceOf(SvcAsrUnreachable);
  expect(String(slow)).toContain('no answer within 50 ms');
  silent.close();
});

test('the credential is left out when a stream is printed, and the error for an invalid session does not quote the session', async () => {
  const session = await newSession();
  const stream = openStream(session, options);
  await stream.ready;
  const asText: (value: unknown) => string = String;
  for (const text of [asText(stream), inspect(stream, { depth: 9 }), format('%o %s', stream, stream)]) {
    expect(text).not.toContain('s3cret');
  }
  await stream.close();
  const broken: unknown[] = [
    { ...session, websocket_protocols: ['svc.realtime.v1', 'svc.auth.s3cret s3cret'] },
    { ...session, websocket_protocols: ['svc.auth.s3cret', 'svc.realtime.v1'] },
    { ...session, websocket_url: 'ws://far.example/svc.auth.s3cret' },
    { ...session, websocket_url: 'https://far.example/' },
    {},
  ];
  for (const value of broken) {
    const error = await thrown(openStream(value as AsrSession, options).ready);
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain('s3cret');
  }
});
