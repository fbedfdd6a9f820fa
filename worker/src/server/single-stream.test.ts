import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseRelayAnswer, RELAY_PATH } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import { createLogger, createMetrics, parseTicketKey, parseTicketPublicKeys, signTicket } from '@svc-asr/runtime';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/eventually.ts';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import type { Engine } from '../engine/engine.ts';
import { startEngine } from '../engine/start.ts';
import { createWorkerMetrics } from '../metrics.ts';
import { modelsFolder, readWav } from '../testing/data.ts';
import { transcribe } from '../testing/transcribe.ts';
import { listen } from './listen.ts';
import { Relay } from './relay.ts';
import { createTicketGate } from './tickets.ts';

const MODEL = join(modelsFolder, 'svc-asr-kikuyu-v1');
const speech = readWav(join(MODEL, 'eval/ki_espeak_002.wav'));
const pair = createTicketKeyPair();
const WAIT_MS = 20_000;

let engine: Engine;
let relay: Relay;
let address: string;

beforeAll(async () => {
  engine = await startEngine({ modelDir: MODEL, slots: 1 });
  const logger = createLogger('worker', 'silent');
  const { server, port } = await listen({ HOST: '127.0.0.1', PORT: 0, TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, logger);
  relay = new Relay({
    server,
    engine,
    tickets: createTicketGate({ current: parseTicketPublicKeys(pair.publicKey) }, { worker: 'me', model: 'm' }),
    limits: { openTimeoutMs: WAIT_MS, slotWaitMs: WAIT_MS, unsentBytes: 65_536, pingMs: 60_000 },
    metrics: createWorkerMetrics(createMetrics('worker'), 'model'),
    logger,
  });
  address = `ws://127.0.0.1:${port}${RELAY_PATH}`;
});
afterAll(async () => {
  await relay.close();
  await engine.close();
});

/** Connects like a gateway of the version before. */
function connect(worker = 'me') {
  const ticket = { session: randomUUID(), model: 'm', worker, epoch: 1, expMs: Date.now() + 60_000 };
  const authorization = `Bearer ${signTicket(parseTicketKey(pair.privateKey), ticket)}`;
  const socket = new WebSocket(address, { headers: { authorization }, perMessageDeflate: false });
  const answers: RelayAnswer[] = [];
  socket.on('message', (data: Buffer) => {
    const parsed = parseRelayAnswer(data.toString());
    if (parsed.ok) answers.push(parsed.message);
  });
  const next = <T extends RelayAnswer['type']>(type: T) =>
    eventually(`a ${type} arrives`, WAIT_MS, () =>
      answers.find((answer): answer is Extract<RelayAnswer, { type: T }> => answer.type === type),
    );
  return { socket, answers, next };
}

test('a gateway of the version before gets the same transcript on a WebSocket of its own', async () => {
  const { final } = await transcribe(engine, speech, { sizes: [3200], context: [56, 13] });
  const { socket, answers, next } = connect();
  await once(socket, 'open');
  socket.send('{"type":"open","context":[56,13]}');
  await next('opened');
  // Twice the ring, which the worker takes only as fast as it has room.
  for (let i = 0; i < 4; i++) {
    for (let at = 0; at < speech.length; at += 16_000) socket.send(speech.slice(at, at + 16_000));
    if (i < 3) socket.send('{"type":"reset"}');
  }
  socket.send('{"type":"flush"}');
  expect(await next('final')).toMatchObject({ text: final.text, audio_end: speech.length });
  relay.alive();
  const consumed = answers.filter((answer) => answer.type === 'consumed').map(({ samples }) => samples);
  expect(Math.max(...consumed)).toBeLessThanOrEqual(speech.length);
  socket.close(1000);
  expect(((await once(socket, 'close')) as [number])[0]).toBe(1000);
  await eventually('the slot is free', WAIT_MS, () => engine.freeSlots === 1 && relay.size === 0);
});

test('a WebSocket with an invalid ticket is refused with 4401, and one that violates the protocol with 1011', async () => {
  const refused = connect('another');
  const [code] = (await once(refused.socket, 'close')) as [number];
  expect([code, refused.answers.at(-1)]).toMatchObject([4401, { type: 'error', code: 'bad_ticket' }]);
  const wrong = connect();
  await once(wrong.socket, 'open');
  wrong.socket.send('{"type":"flush"}');
  expect(((await once(wrong.socket, 'close')) as [number])[0]).toBe(1011);
});

test('the worker asks a gateway of the version before to move its stream, and is empty when it has', async () => {
  const { socket, next } = connect();
  await once(socket, 'open');
  socket.send('{"type":"open","context":[56,13]}');
  await next('opened');
  relay.refuse();
  relay.move();
  await next('move');
  const emptied = relay.emptied(WAIT_MS);
  socket.close(1000);
  expect(await emptied).toBe(0);
});
