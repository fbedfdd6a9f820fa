import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createMetrics, parseTicketKey, parseTicketPublicKeys, signTicket } from '@svc-asr/runtime';
import { eventually } from '../../../test/support/eventually.ts';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import type { Engine } from '../engine/engine.ts';
import { startEngine } from '../engine/start.ts';
import { createWorkerMetrics } from '../metrics.ts';
import { watchProgress } from '../progress.ts';
import { modelsFolder, readWav } from '../testing/data.ts';
import { RelayClient } from '../testing/relay-client.ts';
import { transcribe } from '../testing/transcribe.ts';
import { listen } from './listen.ts';
import { Relay } from './relay.ts';
import { createTicketGate } from './tickets.ts';

const MODEL = join(modelsFolder, 'svc-asr-kikuyu-v1');
const speech = readWav(join(MODEL, 'eval/ki_espeak_002.wav'));
const other = readWav(join(MODEL, 'eval/ki_espeak_009.wav'));
const pair = createTicketKeyPair();
const key = parseTicketKey(pair.privateKey);
const LIMITS = { openTimeoutMs: 300, slotWaitMs: 200, unsentBytes: 65_536, pingMs: 60_000 };

let engine: Engine;
let relay: Relay;
let address: string;
let log = '';
let stopWatching: () => void;

beforeAll(async () => {
  engine = await startEngine({ modelDir: MODEL, slots: 2 });
  ({ relay, address } = await serve());
  const watch = watchProgress(engine, 100, () => relay.alive());
  stopWatching = () => watch.stop();
});
afterAll(async () => {
  stopWatching();
  await relay.close();
  await engine.close();
});

async function serve(limits: Partial<typeof LIMITS> = {}): Promise<{ relay: Relay; address: string; server: Server }> {
  const logger = createLogger('worker', 'debug', { write: (line) => (log += line) });
  const { server, port } = await listen({ HOST: '127.0.0.1', PORT: 0, TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, logger);
  const metrics = createWorkerMetrics(createMetrics('worker'), 'model');
  const keys = parseTicketPublicKeys(pair.publicKey);
  const tickets = createTicketGate({ current: keys }, { worker: 'me', model: 'm' });
  const started = new Relay({ server, engine, tickets, limits: { ...LIMITS, ...limits }, metrics, logger });
  return { server, relay: started, address: `ws://127.0.0.1:${port}` };
}

const ticketFor = (changes: object = {}) =>
  signTicket(key, { session: randomUUID(), model: 'm', worker: 'me', epoch: 1, expMs: Date.now() + 5000, ...changes });
/** Returns the transcript of the engine without the relay. */
const alone = (audio: Int16Array, context: [number, number] = [56, 13]) =>
  transcribe(engine, audio, { sizes: [3200], context });

const clients: RelayClient[] = [];
async function client(ticket = ticketFor(), to = address): Promise<RelayClient> {
  const created = new RelayClient(to, ticket);
  clients.push(created);
  return await created.connected();
}

async function opened(context: [number, number] = [56, 13]): Promise<RelayClient> {
  const stream = await client();
  stream.send({ type: 'open', context });
  await stream.next('opened');
  return stream;
}

async function freed(): Promise<void> {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await eventually('all slots are free', 5000, () => relay.size === 0 && engine.freeSlots === engine.info.slots);
}

describe('a relay stream', () => {
  afterEach(freed);

  test('returns the same deltas and final as the engine, and reports consumed samples', async () => {
    const { final, deltas } = await alone(speech);
    const stream = await client();
    stream.send({ type: 'open', context: [56, 13] });
    expect(await stream.next('opened')).toEqual({ type: 'opened', chunk_samples: 17_920, context: [56, 13] });
    stream.audio(speech);
    stream.send({ type: 'flush' });
    expect(await stream.next('final')).toEqual({
      type: 'final',
      text: final.text,
      audio_end: speech.length,
      words: final.words,
    });
    expect(final.text).not.toBe('');
    expect(stream.of('delta')).toEqual(
      deltas.map(({ text, audioEndMs }) => ({ type: 'delta', text, audio_end: audioEndMs * 16 })),
    );
    const consumed = stream.of('consumed').map(({ samples }) => samples);
    expect(consumed).toEqual(consumed.toSorted((a, b) => a - b));
    expect(consumed.at(-1)).toBeLessThanOrEqual(speech.length);
    stream.socket.close(1000);
    expect(await stream.closed).toMatchObject({ code: 1000 });
  });

  test('accepts all messages at once, before it has answered open', async () => {
    const { final } = await alone(speech, [56, 3]);
    const stream = await client();
    stream.send({ type: 'open', context: [56, 3], realtime_from: speech.length });
    stream.audio(speech, 50_001);
    stream.send({ type: 'flush' });
    expect((await stream.next('final')).text).toBe(final.text);
    stream.socket.close(1000);
  });

  test('longer than all buffers is slowed down and transcribed completely', async () => {
    const long = new Int16Array(speech.length * 6);
    for (let i = 0; i < 6; i++) long.set(speech, i * speech.length);
    const { final } = await alone(long);
    const stream = await opened();
    stream.audio(long, 65_536);
    stream.send({ type: 'flush' });
    expect(await stream.next('final')).toMatchObject({ text: final.text, audio_end: long.length });
    stream.socket.close(1000);
  });

  test('receives exactly one final for each flush, also without audio', async () => {
    const stream = await opened();
    for (let i = 0; i < 100; i++) stream.send({ type: 'flush' });
    stream.audio(speech.subarray(0, 100));
    stream.send({ type: 'flush' });
    for (let i = 0; i < 100; i++) {
      expect(await stream.next('final')).toEqual({ type: 'final', text: '', audio_end: 0, words: [] });
    }
    expect(await stream.next('final')).toMatchObject({ audio_end: 100 });
    await sleep(50);
    expect(stream.of('final')).toHaveLength(101);
    stream.socket.close(1000);
  });

  test('drops the utterance on reset and transcribes the next one like the first', async () => {
    const { final } = await alone(speech);
    const stream = await opened();
    stream.audio(other);
    stream.send({ type: 'reset' });
    stream.audio(speech);
    stream.send({ type: 'flush' });
    await stream.next('reset_done');
    const after = stream.answers.length;
    expect(await stream.next('final')).toMatchObject({ text: final.text, audio_end: speech.length });
    for (const answer of stream.answers.slice(after)) {
      if (answer.type === 'consumed') expect(answer.samples).toBeLessThanOrEqual(speech.length);
      if (answer.type === 'delta') expect(final.text.startsWith(answer.text)).toBe(true);
    }
    stream.socket.close(1000);
  });

  test('is not affected by another stream', async () => {
    const expected = [await alone(speech), await alone(other)];
    const streams = [await opened(), await opened()];
    for (let at = 0; at < Math.max(speech.length, other.length); at += 1600) {
      streams[0]?.audio(speech.subarray(at, at + 1600));
      streams[1]?.audio(other.subarray(at, at + 1600));
    }
    for (const stream of streams) stream.send({ type: 'flush' });
    const texts = await Promise.all(streams.map(async (stream) => (await stream.next('final')).text));
    expect(texts).toEqual(expected.map(({ final }) => final.text));
    for (const stream of streams) stream.socket.close(1000);
  });

  test('receives alive messages while audio is pending, and none before', async () => {
    const stream = await opened();
    await sleep(600);
    expect(stream.of('alive')).toEqual([]);
    stream.audio(speech.subarray(0, 3200));
    await stream.next('alive');
    stream.send({ type: 'flush' });
    await stream.next('final');
    stream.socket.close(1000);
  });

  test('continues after a move request until its gateway closes it', async () => {
    const { relay: own, address: to } = await serve();
    const stream = await client(ticketFor(), to);
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    const waiting = await client(ticketFor(), to);
    own.refuse();
    own.move();
    await stream.next('move');
    expect(await waiting.closed).toEqual({ code: 4429, reason: 'draining' });
    expect(await (await client(ticketFor(), to)).closed).toEqual({ code: 4429, reason: 'draining' });
    stream.send({ type: 'flush' });
    await stream.next('final');
    stream.socket.close(1000);
    expect(await own.emptied(5000)).toBe(0);
    await own.close();
  });
});

describe('the relay refuses a connection', () => {
  afterEach(freed);

  test.each([
    ['no ticket', () => undefined],
    ['a malformed ticket', () => 'a.b'],
    ['an expired ticket', () => ticketFor({ expMs: Date.now() - 1 })],
    ['the ticket of another worker', () => ticketFor({ worker: 'another' })],
    ['the ticket of another model', () => ticketFor({ model: 'another' })],
  ])('with %s', async (_name, make) => {
    const stream = new RelayClient(address, make());
    expect(await stream.closed).toEqual({ code: 4401, reason: 'bad_ticket' });
    expect(stream.answers).toMatchObject([{ type: 'error', code: 'bad_ticket' }]);
  });

  test('with a ticket that was already used', async () => {
    const ticket = ticketFor();
    const first = await client(ticket);
    expect(await (await client(ticket)).closed).toMatchObject({ code: 4401 });
    first.send({ type: 'open', context: [56, 13] });
    await first.next('opened');
    first.socket.close(1000);
  });

  test('when every slot is taken, and accepts it if a slot is freed while it waits', async () => {
    const streams = [await opened(), await opened()];
    const third = await client();
    third.send({ type: 'open', context: [56, 13] });
    expect(await third.closed).toEqual({ code: 4429, reason: 'no_slot' });
    const fourth = await client();
    fourth.send({ type: 'open', context: [56, 13] });
    fourth.send({ type: 'flush' });
    streams[0]?.socket.close(1000);
    await fourth.next('opened');
    await fourth.next('final');
    for (const stream of [...streams, fourth]) stream.socket.close(1000);
  });

  test('that sends no open message in time', async () => {
    expect(await (await client()).closed).toEqual({ code: 1011, reason: 'open_timeout' });
  });

  test('at another path, and answers a plain HTTP request with 426', async () => {
    const wrong = new RelayClient(`${address}/else`, ticketFor());
    expect(await wrong.closed).toMatchObject({ code: 1006 });
    expect((await fetch(`${address.replace('ws', 'http')}/v1/stream`)).status).toBe(426);
  });
});

describe('the relay ends a stream with an error after', () => {
  afterEach(freed);

  test.each<[string, string | Uint8Array, string]>([
    ['text that is not JSON', 'hello', 'invalid_message'],
    ['an unknown type', '{"type":"stop"}', 'invalid_message'],
    ['a second open', '{"type":"open","context":[56,13]}', 'invalid_message'],
    ['text of more than 16 KiB', `{"type":"flush","pad":"${'x'.repeat(16_384)}"}`, 'invalid_message'],
    ['half a sample', new Uint8Array(3), 'invalid_audio'],
  ])('%s', async (_name, frame, reason) => {
    const stream = await opened();
    stream.socket.send(frame);
    expect(await stream.closed).toEqual({ code: 1011, reason });
    expect(stream.answers.at(-1)).toMatchObject({ type: 'error', code: reason });
  });

  test.each<[string, string | Uint8Array, string]>([
    ['audio before open', new Uint8Array(2), 'invalid_message'],
    ['a flush before open', '{"type":"flush"}', 'invalid_message'],
    ['a context that the model does not have', '{"type":"open","context":[1,2]}', 'context_unsupported'],
  ])('%s', async (_name, frame, reason) => {
    const stream = await client();
    stream.socket.send(frame);
    expect(await stream.closed).toEqual({ code: 1011, reason });
  });

  test('a frame above the size limit', async () => {
    const stream = await opened();
    stream.socket.send(new Uint8Array(131_074));
    expect(await stream.closed).toMatchObject({ code: 1009 });
  });
});

describe('the relay disconnects a gateway', () => {
  afterEach(freed);

  test('that does not read its answers', async () => {
    const { relay: own, address: to, server } = await serve();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const stream = await client(ticketFor(), to);
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    // Corking simulates full kernel buffers on both sides, which would take megabytes to fill.
    (await accepted)[0].cork();
    for (let i = 0; i < 2000; i++) stream.send({ type: 'flush' });
    expect(await stream.closed).toEqual({ code: 1006, reason: '' });
    expect(own.size).toBe(0);
    expect(log).toContain('slow_reader');
    await own.close();
  });

  test('that does not answer pings', async () => {
    const { relay: own, address: to } = await serve({ pingMs: 50 });
    const answering = await client(ticketFor(), to);
    const silent = await new RelayClient(to, ticketFor(), { autoPong: false }).connected();
    for (const stream of [answering, silent]) stream.send({ type: 'open', context: [56, 13] });
    expect(await silent.closed).toEqual({ code: 1006, reason: '' });
    expect(own.size).toBe(1);
    answering.socket.close(1000);
    await own.emptied(1000);
    await own.close();
  });
});

test('the worker log contains no transcript and no ticket', () => {
  expect(log).toContain('connection ended');
  expect(log).not.toMatch(/Bearer|"text"/);
  expect(log).not.toContain(Buffer.from('{"v":1').toString('base64url'));
});
