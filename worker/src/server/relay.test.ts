import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSE_REOPENS, FRAME, FRAME_HEADER_BYTES, RELAY_LIMITS, writeFrameHeader } from '@svc-asr/core';
import { createLogger, parseTicketKey, parseTicketPublicKeys, signTicket } from '@svc-asr/runtime';
import { eventually } from '../../../test/support/eventually.ts';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import type { Engine } from '../engine/engine.ts';
import { BUFFER_SAMPLES } from '../engine/shared.ts';
import { startEngine } from '../engine/start.ts';
import { watchProgress } from '../progress.ts';
import { modelsFolder, readWav } from '../testing/data.ts';
import { upgrade } from '../io/upgrade.ts';
import { RelayClient, RelayConnection } from '../testing/relay-client.ts';
import { transcribe } from '../testing/transcribe.ts';
import { listen } from './listen.ts';
import { Relay } from './relay.ts';
import { createTicketGate } from './tickets.ts';

const MODEL = join(modelsFolder, 'svc-asr-kikuyu-v1');
const speech = readWav(join(MODEL, 'eval/ki_espeak_002.wav'));
const other = readWav(join(MODEL, 'eval/ki_espeak_009.wav'));
const pair = createTicketKeyPair();
const key = parseTicketKey(pair.privateKey);
const LIMITS = {
  openTimeoutMs: 10_000,
  slotWaitMs: 4000,
  unsentBytes: 65_536,
  pingMs: 60_000,
  resumeMs: 60_000,
  reportMs: 60_000,
};

let engine: Engine;
let relay: Relay;
let address: string;
let log = '';
let stopWatching: () => void;

beforeAll(async () => {
  engine = await startEngine({ modelDir: MODEL, slots: 2, measureMs: 0 });
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
  const metrics = { countSamples: () => undefined, countEnd: () => undefined };
  const keys = parseTicketPublicKeys(pair.publicKey);
  const tickets = createTicketGate({ current: keys }, { worker: 'me', model: 'm' });
  const started = new Relay({ server, engine, tickets, limits: { ...LIMITS, ...limits }, metrics, logger });
  return { server, relay: started, address: `ws://127.0.0.1:${port}` };
}

const ticketFor = (changes: object = {}, expMs = Date.now() + 60_000) =>
  signTicket(key, { session: randomUUID(), model: 'm', worker: 'me', epoch: 1, expMs, ...changes });
/** Returns the transcript that the engine produces without the relay. */
const alone = (audio: Int16Array, context: [number, number] = [56, 13]) =>
  transcribe(engine, audio, { sizes: [3200], context });

/** Sends more audio than the ring has room for, without waiting until there is room. */
function overrun(stream: RelayClient): void {
  const samples = 32_768;
  for (let i = 0; i < 8; i++) stream.sendRaw('audio', new Uint8Array(samples * 2), i * samples);
}

/** Sends more flushes than the worker allows, without waiting for their answers. */
function floodFlushes(stream: RelayClient): void {
  for (let i = 0; i <= RELAY_LIMITS.maxMarks; i++) stream.sendRaw('message', '{"type":"flush"}');
}

const clients: RelayClient[] = [];
async function client(ticket: string | undefined = ticketFor(), to = address): Promise<RelayClient> {
  const created = await RelayClient.connect(to, ticket);
  clients.push(created);
  return created;
}

async function opened(context: [number, number] = [56, 13]): Promise<RelayClient> {
  const stream = await client();
  stream.send({ type: 'open', context });
  await stream.next('opened');
  return stream;
}

async function freed(): Promise<void> {
  for (const stream of clients.splice(0)) stream.cut();
  await eventually('all slots are free', 30_000, () => relay.size === 0 && engine.freeSlots === engine.info.slots);
}

describe('a relay stream', () => {
  afterEach(freed);

  test('returns the same deltas and final as the engine alone, and reports consumed samples', async () => {
    const { final, deltas } = await alone(speech);
    const stream = await client();
    stream.send({ type: 'open', context: [56, 13] });
    expect(await stream.next('opened')).toEqual({
      type: 'opened',
      chunk_samples: 17_920,
      early_samples: 1080,
      context: [56, 13],
      buffer_samples: BUFFER_SAMPLES,
    });
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
    stream.close();
    expect(await stream.closed).toEqual({ code: 1000, reason: '' });
    expect(stream.of('consumed').at(-1)).toEqual({ type: 'consumed', samples: speech.length });
  });

  test('is transcribed completely if it is longer than the ring, because the gateway sends audio only while the ring has room', async () => {
    const long = new Int16Array(speech.length * 6);
    for (let i = 0; i < 6; i++) long.set(speech, i * speech.length);
    const { final } = await alone(long);
    const stream = await opened();
    stream.audio(long, 16_384);
    stream.send({ type: 'flush' });
    expect(await stream.next('final')).toMatchObject({ text: final.text, audio_end: long.length });
    stream.close();
  });

  test('receives exactly one final for each flush, even if no audio was sent', async () => {
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
    stream.close();
  });

  test('drops the utterance on reset, and transcribes the next one like the first utterance of a stream', async () => {
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
      if (answer.type === 'consumed') expect(answer.samples).toBeGreaterThanOrEqual(other.length);
      if (answer.type === 'delta') expect(final.text.startsWith(answer.text)).toBe(true);
    }
    stream.close();
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
    for (const stream of streams) stream.close();
  });

  test('receives alive frames on its connection while inference makes progress, but a connection without streams gets none', async () => {
    const idle = await client();
    const stream = await opened();
    await eventually('alive frames arrive', 30_000, () => stream.connection.aliveFrames > 2);
    expect(idle.connection.aliveFrames).toBe(0);
    stream.close();
  });

  test('continues after a move request until its gateway closes it', async () => {
    const { relay: own, address: to } = await serve();
    const stream = await client(ticketFor(), to);
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    own.refuse();
    own.move();
    await stream.next('move');
    const refused = stream.connection.stream(ticketFor());
    refused.send({ type: 'open', context: [56, 13] });
    expect(await refused.closed).toEqual({ code: 4429, reason: 'draining' });
    stream.send({ type: 'flush' });
    await stream.next('final');
    stream.close();
    expect(await own.emptied(20_000)).toBe(0);
    await own.close();
  });

  test('can be reopened by its session while the worker drains, and the relay then asks the gateway again to move the stream', async () => {
    const { relay: own, address: to } = await serve();
    const stream = await client(ticketFor({ session: 'kept' }), to);
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    own.refuse();
    own.move(60_000);
    expect(await stream.next('move')).toEqual({ type: 'move', within_ms: 60_000 });
    const emptied = own.emptied(60_000);
    stream.connection.frames.send(FRAME.close, stream.id, CLOSE_REOPENS);
    await stream.closed;
    const again = stream.connection.stream(ticketFor({ session: 'kept', epoch: 2 }));
    again.send({ type: 'open', context: [56, 3] });
    await again.next('opened');
    const { within_ms: withinMs = 0 } = await again.next('move');
    expect(withinMs).toBeGreaterThan(0);
    expect(withinMs).toBeLessThanOrEqual(60_000);
    again.close();
    expect(await emptied).toBe(0);
    await own.close();
  });
});

test('a draining relay logs the streams that it waits for, with their states', async () => {
  const { relay: own, address: to } = await serve({ reportMs: 20 });
  const stream = await client(ticketFor({ session: 'late' }), to);
  stream.send({ type: 'open', context: [56, 13] });
  await stream.next('opened');
  const emptied = own.emptied(60_000);
  const line = '"amount":1,"reason":"late open","message":"the draining worker waits for streams"';
  await eventually('the stream is logged', 30_000, () => log.includes(line));
  stream.close();
  expect(await emptied).toBe(0);
  await own.close();
});

describe('the relay refuses', () => {
  afterEach(freed);

  test.each([
    ['no ticket', () => undefined],
    ['a malformed ticket', () => 'a.b'],
    ['an expired ticket', () => ticketFor({ expMs: Date.now() - 1 })],
    ['the ticket of another worker', () => ticketFor({ worker: 'another' })],
    ['the ticket of another model', () => ticketFor({ model: 'another' })],
  ])('a stream with %s', async (_name, make) => {
    const stream = (await RelayConnection.connect(address)).stream(make());
    clients.push(stream);
    stream.send({ type: 'open', context: [56, 13] });
    expect(await stream.closed).toEqual({ code: 4401, reason: 'bad_ticket' });
    expect(stream.answers).toMatchObject([{ type: 'error', code: 'bad_ticket' }]);
  });

  test('a stream whose ticket was already used', async () => {
    const ticket = ticketFor();
    const first = await client(ticket);
    first.send({ type: 'open', context: [56, 13] });
    await first.next('opened');
    const second = first.connection.stream(ticket);
    second.send({ type: 'open', context: [56, 13] });
    expect(await second.closed).toMatchObject({ code: 4401 });
    first.close();
  });

  test('a stream if every slot is taken, unless a slot is freed while the stream waits', async () => {
    const streams = [await opened(), await opened()];
    const third = await client();
    third.send({ type: 'open', context: [56, 13] });
    expect(await third.closed).toEqual({ code: 4429, reason: 'no_slot' });
    const fourth = await client();
    fourth.send({ type: 'open', context: [56, 13] });
    streams[0]?.close();
    await fourth.next('opened');
    fourth.send({ type: 'flush' });
    await fourth.next('final');
    for (const stream of [...streams, fourth]) stream.close();
  });

  test('an upgrade at another path, and answers a plain HTTP request with 426', async () => {
    await expect(upgrade(address, { path: '/v2/else' })).rejects.toThrow('404');
    expect((await fetch(`${address.replace('ws', 'http')}/v2/streams`)).status).toBe(426);
  });
});

describe('the relay ends only the affected stream, with an error, after', () => {
  afterEach(freed);

  test.each<[string, (stream: RelayClient) => void, string]>([
    ['text that is not JSON', (stream) => stream.sendRaw('message', 'hello'), 'invalid_message'],
    ['an unknown type', (stream) => stream.sendRaw('message', '{"type":"stop"}'), 'invalid_message'],
    ['a second open', (stream) => stream.sendRaw('message', '{"type":"open","context":[56,13]}'), 'invalid_message'],
    ['a message of more than 16 KiB', (stream) => stream.sendRaw('message', ' '.repeat(16_385)), 'invalid_message'],
    ['half a sample', (stream) => stream.sendRaw('audio', new Uint8Array(3)), 'invalid_audio'],
    ['a gap in the audio', (stream) => stream.sendRaw('audio', new Uint8Array(4), 2), 'invalid_message'],
    ['more audio than its credit', overrun, 'buffer_overrun'],
    ['more flushes than its credit', floodFlushes, 'buffer_overrun'],
  ])('%s', async (_name, act, reason) => {
    const { final } = await alone(speech);
    const neighbour = await opened();
    const stream = neighbour.connection.stream(ticketFor());
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    neighbour.audio(speech);
    act(stream);
    neighbour.send({ type: 'flush' });
    expect(await stream.closed).toEqual({ code: 1011, reason });
    expect(stream.answers.at(-1)).toMatchObject({ type: 'error', code: reason });
    expect(await neighbour.next('final')).toMatchObject({ text: final.text });
    neighbour.close();
  });

  test('an open with a context that the model does not have', async () => {
    const stream = await client();
    stream.send({ type: 'open', context: [1, 2] });
    expect(await stream.closed).toEqual({ code: 1011, reason: 'context_unsupported' });
  });
});

describe('the relay disconnects a gateway', () => {
  afterEach(freed);

  test.each<[string, (stream: RelayClient) => void, string]>([
    [
      'audio before open',
      (stream) => stream.sendRaw('audio', new Uint8Array(2)),
      'stream 1 is invalid: it must be open',
    ],
    ['a flush before open', (stream) => stream.sendRaw('message', '{"type":"flush"}'), 'stream 1 is invalid'],
    ['an open that is not JSON', (stream) => stream.sendRaw('message', '{'), 'stream 1 is invalid: not JSON'],
    ['a frame above the size limit', (stream) => stream.sendRaw('audio', new Uint8Array(131_074)), '131074 bytes'],
    ['a frame that only workers send', (stream) => stream.connection.frames.send(FRAME.delta, stream.id), 'stream 1'],
  ])('after %s, and reports the reason', async (_name, act, reason) => {
    const stream = await client();
    act(stream);
    expect(await stream.connection.closed).toContain(reason);
  });

  test('that opens no stream in time', async () => {
    const { relay: own, address: to } = await serve({ openTimeoutMs: 100 });
    expect(await (await client(undefined, to)).connection.closed).toContain('no stream was opened in time');
    await own.close();
  });

  test('that does not read the answers of the worker', async () => {
    const { relay: own, address: to, server } = await serve();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const stream = await client(ticketFor(), to);
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    // A corked socket simulates full kernel buffers. Filling real buffers would take megabytes.
    (await accepted)[0].cork();
    // The worker sends two answers for each refused stream, and none of them leaves the corked socket.
    for (let i = 0; i < 2000; i++) stream.connection.stream('x').send({ type: 'open', context: [56, 13] });
    expect(await stream.closed).toEqual({ code: 1006, reason: '' });
    expect(own.size).toBe(0);
    expect(log).toContain('slow_reader');
    await own.close();
  });

  test('that does not answer pings, but not a gateway that answers them', async () => {
    const { relay: own, address: to } = await serve({ pingMs: 1000 });
    const answering = await client(ticketFor(), to);
    answering.send({ type: 'open', context: [56, 13] });
    await answering.next('opened');
    const { socket: silent } = await upgrade(to);
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    const open = Buffer.from(JSON.stringify({ type: 'open', context: [56, 13], ticket: ticketFor() }));
    writeFrameHeader(header, { stream: 1, type: FRAME.message, position: 0, length: open.length });
    silent.write(Buffer.concat([header, open]));
    silent.resume();
    await once(silent, 'close');
    await eventually('only the other stream remains', 30_000, () => own.size === 1);
    answering.close();
    await own.emptied(20_000);
    await own.close();
  });

  test('whose connection is lost and cannot be resumed, and frees all of its slots', async () => {
    const stream = await opened();
    const other = stream.connection.stream(ticketFor());
    other.send({ type: 'open', context: [56, 13] });
    await other.next('opened');
    expect(engine.freeSlots).toBe(0);
    stream.cut();
    await eventually('all slots are free', 30_000, () => engine.freeSlots === 2);
  });
});

describe('a lost gateway connection', () => {
  afterEach(freed);

  async function openedOn(connection: RelayConnection): Promise<RelayClient> {
    const stream = connection.stream(ticketFor());
    clients.push(stream);
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
    return stream;
  }

  test('keeps its streams, and they return the usual transcripts after several resumes', async () => {
    const { final } = await alone(speech);
    const connection = await RelayConnection.connectResumable(address);
    const streams = [await openedOn(connection), await openedOn(connection)];
    for (let at = 0; at < speech.length; at += 8000) {
      for (const stream of streams) stream.audio(speech.subarray(at, at + 8000));
      connection.lose();
      await connection.resume(address);
    }
    // When the worker gets the next socket, it has not yet detected that the last socket was lost.
    for (const stream of streams) stream.send({ type: 'flush' });
    await connection.resume(address);
    for (const stream of streams) {
      expect(await stream.next('final')).toMatchObject({ text: final.text, audio_end: speech.length });
      expect(stream.of('opened')).toHaveLength(1);
      stream.close();
      expect(await stream.closed).toEqual({ code: 1000, reason: '' });
    }
  });

  test('ends with its streams if the gateway does not resume it in time, and a later resume is refused', async () => {
    const { relay: own, address: to } = await serve({ resumeMs: 100 });
    const connection = await RelayConnection.connectResumable(to);
    await openedOn(connection);
    connection.lose();
    await eventually('the stream has ended', 30_000, () => own.size === 0);
    await expect(connection.resume(to)).rejects.toThrow('the worker answered 410');
    await own.close();
  });

  test('cannot be resumed with another token, and can still be resumed with its own token afterwards', async () => {
    const connection = await RelayConnection.connectResumable(address);
    const stream = await openedOn(connection);
    connection.lose();
    await expect(connection.resume(address, 'guessed')).rejects.toThrow('the worker answered 410');
    await connection.resume(address);
    stream.send({ type: 'flush' });
    expect(await stream.next('final')).toMatchObject({ audio_end: 0 });
    stream.close();
    // Waits until the stream has closed. Otherwise the end of the test could destroy the connection before the close
    // frame is sent.
    await stream.closed;
  });

  test('cannot be resumed if it never had a valid ticket', async () => {
    const connection = await RelayConnection.connectResumable(address);
    const stream = connection.stream('invalid');
    stream.send({ type: 'open', context: [56, 13] });
    await stream.closed;
    connection.lose();
    await eventually('the worker refuses it', 30_000, async () => {
      const refused = connection.resume(address).then(
        () => false,
        (error: unknown) => String(error).includes('410'),
      );
      if (await refused) return true;
      // The worker has resumed the connection, because it had not detected the loss yet. The test loses the connection
      // again.
      connection.lose();
      return undefined;
    });
  });

  test('is resumed while the worker drains, and closed permanently when the worker ends', async () => {
    const { relay: own, address: to } = await serve();
    const connection = await RelayConnection.connectResumable(to);
    const stream = await openedOn(connection);
    connection.lose();
    own.refuse();
    own.move();
    await connection.resume(to);
    await stream.next('move');
    await own.close();
    expect(await stream.closed).toEqual({ code: 1011, reason: 'closed' });
    expect(await connection.closed).toBe('the connection was closed');
  });
});

test('the worker log contains no transcript and no ticket', () => {
  expect(log).toContain('stream ended');
  expect(log).not.toMatch(/Bearer|"text"/);
  expect(log).not.toContain(Buffer.from('{"v":1').toString('base64url'));
});
