import { setTimeout as sleep } from 'node:timers/promises';
import { untilPoolIsEmpty } from '../support/empty-pool.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, seedTenant } from '../support/gateway.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

/** A model without workers. Its sessions wait for a worker for at most 2 s. */
const IMPATIENT = {
  id: 'svc-asr-impatient-v1',
  language: 'None',
  languageCode: 'zxx',
  maxAudioSeconds: 300,
  maxWaitSeconds: 2,
};

/** A model whose workers cannot be reached. */
const UNREACHABLE = { ...IMPATIENT, id: 'svc-asr-unreachable-v1' };

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    workers: [],
    models: [IMPATIENT, UNREACHABLE],
    gateway: { STREAM_STATUS_INTERVAL_MS: '300', WORKER_AVOID_MS: '1000' },
  });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

test('a session that finds no worker in time receives status events, ends with 4503 and costs nothing', async () => {
  const opened = await stage.connect(60, { model: IMPATIENT.id });
  const { stream } = opened;
  const startedAt = performance.now();
  expect(await stream.closed).toEqual({ code: 4503, reason: 'no_capacity' });
  expect(performance.now() - startedAt).toBeGreaterThan(1900);
  const states = stream.events.map((event) => (event.type === 'status' ? event.state : event.type));
  expect(states[0]).toBe('connecting');
  expect(states.at(-1)).toBe('error');
  expect(states.slice(1, -1).length).toBeGreaterThan(0);
  expect(new Set(states.slice(1, -1))).toEqual(new Set(['waiting_for_capacity']));
  expect(stream.events.at(-1)).toMatchObject({ code: 'no_capacity', fatal: true });
  expect(await stage.settled(opened)).toMatchObject({
    state: 'failed',
    audioMs: 0,
    billableMs: 0,
    balance: { reservedMs: 0, consumedMs: 0, availableMs: CREDIT_MS },
  });
});

test('a session whose workers cannot be reached ends with 4503 and costs nothing', async () => {
  for (const id of ['one', 'two']) {
    const worker = { id, address: 'ws://127.0.0.1:1', revision: 'r', slots: 4 };
    await stage.ledger.workers.register(UNREACHABLE.id, worker);
  }
  const opened = await stage.connect(60, { model: UNREACHABLE.id });
  expect(await opened.stream.closed).toEqual({ code: 4503, reason: 'no_capacity' });
  expect(await stage.settled(opened)).toMatchObject({ state: 'failed', billableMs: 0 });
});

test('audio that arrives before the gateway has sent `ready` ends the stream with 4400 and no charge', async () => {
  const opened = await stage.connect();
  opened.stream.audio(Buffer.alloc(640));
  expect(await opened.stream.next('error')).toMatchObject({ code: 'audio_before_ready', fatal: true });
  expect(await opened.stream.closed).toEqual({ code: 4400, reason: 'audio_before_ready' });
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 0, billableMs: 0 });
});

test('before the gateway has sent `ready`, keepalive is ignored, flush and reset are invalid messages, and the tenth invalid message closes the stream', async () => {
  const { stream } = await stage.connect();
  for (let sent = 0; sent < 10; sent++) stream.send({ type: 'keepalive' });
  for (let sent = 0; sent < 5; sent++) {
    stream.send({ type: 'flush' });
    stream.send({ type: 'reset' });
  }
  expect(await stream.closed).toEqual({ code: 4400, reason: 'invalid_message' });
  const errors = stream.events.filter((event) => event.type === 'error');
  expect(errors.map(({ code, fatal }) => [code, fatal])).toEqual([
    ...Array<unknown>(9).fill(['invalid_message', false]),
    ['invalid_message', true],
  ]);
});

test('a client that floods the gateway with configs while its stream waits for a worker is disconnected', async () => {
  const { stream } = await stage.connect();
  for (let sent = 0; sent < 1000; sent++) stream.send({ type: 'config' });
  expect(await stream.closed).toEqual({ code: 4400, reason: 'invalid_message' });
});

test('a client that disconnects while its stream waits for a worker leaves the queue and pays nothing', async () => {
  const opened = await stage.connect();
  opened.stream.close();
  expect((await opened.stream.closed).code).toBe(1000);
  expect(await stage.settled(opened)).toMatchObject({ state: 'failed', billableMs: 0 });
  await untilPoolIsEmpty(stage.ledger, MODEL);
});

test('a waiting stream is queued with the priority of its tenant', async () => {
  const caller = await seedTenant(stage.ledger, CREDIT_MS, { priority: 'high' });
  const opened = await stage.connect(60, { caller });
  const key = `${stage.prefix}:{m:${MODEL}}:qh`;
  const readTenants = () => stage.ledger.link.send(key, ['LRANGE', key, '0', '-1']);
  const isQueued = async () => ((await readTenants()) as string[]).includes(caller.tenant);
  await eventually('the stream is queued with high priority', 30_000, isQueued);
  opened.stream.close();
  await untilPoolIsEmpty(stage.ledger, MODEL);
  expect(await readTenants()).toEqual([]);
});

test('a waiting session becomes ready when a worker registers, and its config is acknowledged afterwards', async () => {
  const opened = await stage.connect(7);
  const { stream, session } = opened;
  stream.send({ type: 'config', language: 'ki', context: [56, 3] });
  stream.send({ type: 'config' });
  stream.send({ type: 'config', context: 'wide' });
  expect(await stream.next('error')).toMatchObject({ code: 'invalid_config', fatal: false });
  await sleep(400);
  expect(stream.events.map(({ type }) => type)).not.toContain('config_ack');
  await stage.startWorker();
  expect(await stream.next('ready')).toEqual({
    type: 'ready',
    session_id: session.id,
    model: MODEL,
    chunk_samples: 17_920,
    sample_rate_hz: 16_000,
    context_size: [56, 13],
    max_frame_bytes: 65_536,
    max_audio_seconds: 7,
  });
  const small = { type: 'config_ack', language: 'ki', context_size: [56, 3], chunk_samples: 5120 };
  expect(await stream.next('config_ack')).toEqual(small);
  // A config without a context selects the default one.
  expect(await stream.next('config_ack')).toEqual({ ...small, context_size: [56, 13], chunk_samples: 17_920 });
  const states = stream.events.flatMap((event) => (event.type === 'status' ? [event.state] : []));
  expect([states[0], states.at(-1)]).toEqual(['connecting', 'initializing']);
  const types = stream.events.map(({ type }) => type);
  expect(types.lastIndexOf('status')).toBeLessThan(types.indexOf('ready'));
  stream.close();
  await stage.settled(opened);
});
