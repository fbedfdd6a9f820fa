import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { TOO_MANY_STREAMS } from '@svc-asr/core';
import { createLogger, parseTicketKey, parseTicketPublicKeys, signTicket } from '@svc-asr/runtime';
import { eventually } from '../../../test/support/eventually.ts';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import type { Engine } from '../engine/engine.ts';
import { startEngine } from '../engine/start.ts';
import { modelsFolder } from '../testing/data.ts';
import { RelayConnection } from '../testing/relay-client.ts';
import type { RelayClient } from '../testing/relay-client.ts';
import { listen } from './listen.ts';
import { Relay } from './relay.ts';
import { createTicketGate } from './tickets.ts';

const LONG_MS = 600_000;
const SLOTS = 4;
const EXCESS = { type: 'move', reason: TOO_MANY_STREAMS };

const pair = createTicketKeyPair();
const key = parseTicketKey(pair.privateKey);
let engine: Engine;
let relay: Relay;
let connection: RelayConnection;

beforeAll(async () => {
  engine = await startEngine({ modelDir: join(modelsFolder, 'svc-asr-kikuyu-v1'), slots: SLOTS, measureMs: 0 });
});
afterAll(() => engine.close());
beforeEach(async () => {
  const logger = createLogger('worker', 'error');
  const { server, port } = await listen({ HOST: '127.0.0.1', PORT: 0, TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, logger);
  const tickets = createTicketGate({ current: parseTicketPublicKeys(pair.publicKey) }, { worker: 'me', model: 'm' });
  const limits = { openTimeoutMs: LONG_MS, slotWaitMs: LONG_MS, resumeMs: 0, unsentBytes: 65_536 };
  relay = new Relay({
    server,
    engine,
    tickets,
    limits: { ...limits, pingMs: LONG_MS, reportMs: LONG_MS },
    metrics: { countSamples: () => undefined, countEnd: () => undefined },
    logger,
  });
  connection = await RelayConnection.connect(`ws://127.0.0.1:${port}`);
});
afterEach(async () => {
  await relay.close();
  await eventually('all slots are free', 30_000, () => engine.freeSlots === SLOTS);
});

/** Requests a stream. The stream opens when a slot is free. */
function request(): RelayClient {
  const claims = { session: randomUUID(), model: 'm', worker: 'me', epoch: 1, expMs: Date.now() + LONG_MS };
  const stream = connection.stream(signTicket(key, claims));
  stream.send({ type: 'open', context: [56, 13] });
  return stream;
}

/** Opens `count` streams, one after the other. */
async function open(count: number): Promise<RelayClient[]> {
  const streams: RelayClient[] = [];
  while (streams.length < count) {
    const stream = request();
    await stream.next('opened');
    streams.push(stream);
  }
  return streams;
}

/** Returns the `move` messages that each stream has received. The last stream must be open. */
async function movesOf(streams: RelayClient[]): Promise<unknown[][]> {
  // The answers of a connection arrive in order. So when this final has arrived, all earlier `move` messages have
  // arrived too.
  streams.at(-1)!.send({ type: 'flush' });
  await streams.at(-1)!.next('final');
  return streams.map((stream) => stream.of('move'));
}

test('a relay with too many streams asks the gateway to move the oldest streams, and asks only once for each stream', async () => {
  const streams = await open(4);
  relay.moveExcess(0.5);
  relay.moveExcess(0.5);
  expect(await movesOf(streams)).toEqual([[EXCESS], [EXCESS], [], []]);
  relay.moveExcess(0.75);
  expect(await movesOf(streams)).toEqual([[EXCESS], [EXCESS], [EXCESS], []]);
});

test('if there are still too many streams after one has ended, the relay asks the gateway to move the next stream', async () => {
  const streams = await open(3);
  relay.moveExcess(1 / 3);
  const [first, ...others] = streams;
  first!.close();
  await eventually('the first stream has ended', 30_000, () => relay.size === 2);
  relay.moveExcess(0);
  expect(await movesOf(others)).toEqual([[], []]);
  relay.moveExcess(0.5);
  expect(await movesOf(others)).toEqual([[EXCESS], []]);
});

test('if there are too many streams, the relay does not ask the gateway to move a waiting stream until that stream has opened', async () => {
  const streams = await open(SLOTS);
  const waiting = request();
  await eventually('the stream waits for a slot', 30_000, () => relay.size === SLOTS + 1);
  relay.moveExcess(1);
  expect(await movesOf([waiting, ...streams])).toEqual([[], ...streams.map(() => [EXCESS])]);
  streams[0]!.close();
  await waiting.next('opened');
  relay.moveExcess(1);
  expect(await movesOf([waiting])).toEqual([[EXCESS]]);
});

test('a draining relay, which has asked to move all streams, sends no further request if it has too many streams', async () => {
  const streams = await open(2);
  relay.move();
  relay.moveExcess(1);
  expect(await movesOf(streams)).toEqual([[{ type: 'move' }], [{ type: 'move' }]]);
});
