import { setTimeout as sleep } from 'node:timers/promises';
import { STREAM_LIMITS } from '@svc-asr/core';
import type { ServerMessage } from '@svc-asr/core';
import { eventually } from '../support/eventually.ts';
import { MODEL } from '../support/gateway.ts';
import type { StreamClient } from '../support/stream-client.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Opened, Stage } from './stage.ts';

const { textMessageBurst: BURST, textMessagesPerSecond: RATE, maxRateLimitedMessages: MOST } = STREAM_LIMITS;
const TALLY_MS = 50;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ gateway: { REVISION_TALLY_INTERVAL_MS: String(TALLY_MS) } });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** Number of streams that the tests have opened. */
let streams = 0;
async function openReady(): Promise<Opened> {
  streams++;
  return stage.ready();
}

/** Returns the events of one type that the stream has received. */
function replies({ events }: StreamClient, type: ServerMessage['type']): ServerMessage[] {
  return events.filter((event) => event.type === type);
}

/**
 * Sends the same message several times without a pause, and waits until each one has a reply or an error. Returns how
 * many messages the rate limit allowed during the wait in addition to the burst.
 */
async function sendAtOnce(stream: StreamClient, count: number, message: object, reply: ServerMessage['type']) {
  const startedAt = performance.now();
  const answered = () => replies(stream, reply).length + replies(stream, 'error').length;
  const before = answered();
  for (let sent = 0; sent < count; sent++) stream.send(message);
  await eventually('every message has a reply', 30_000, () => answered() === before + count);
  return Math.ceil((performance.now() - startedAt) * (RATE / 1000));
}

test('a stream accepts a burst of 40 text messages, and answers further ones with rate_limited instead of processing them', async () => {
  const opened = await openReady();
  const { stream } = opened;
  const extra = await sendAtOnce(stream, BURST + MOST - 1, { type: 'flush' }, 'final');
  const finals = replies(stream, 'final');
  expect(finals.length).toBeGreaterThanOrEqual(BURST);
  expect(finals.length).toBeLessThanOrEqual(BURST + extra);
  const errors = replies(stream, 'error');
  expect(errors.length).toBe(BURST + MOST - 1 - finals.length);
  for (const error of errors) expect(error).toMatchObject({ code: 'rate_limited', fatal: false });
  // An ignored flush ends no utterance, so the next final has the next utterance number.
  await sleep(2000 / RATE);
  stream.send({ type: 'flush' });
  await eventually('the last final arrived', 30_000, () => replies(stream, 'final').length === finals.length + 1);
  expect(replies(stream, 'final').at(-1)).toMatchObject({ utterance: finals.length + 1 });
  stream.close();
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed' });
});

test('the tenth rate_limited error closes the stream with 4400', async () => {
  const { stream } = await openReady();
  for (let sent = 0; sent < 10 * BURST; sent++) stream.send({ type: 'config' });
  expect(await stream.closed).toEqual({ code: 4400, reason: 'rate_limited' });
  const errors = replies(stream, 'error');
  expect(errors).toHaveLength(MOST);
  expect(errors.map((error) => error.type === 'error' && error.fatal)).toEqual([
    ...Array<boolean>(MOST - 1).fill(false),
    true,
  ]);
});

test('rate_limited and invalid_message errors are counted separately', async () => {
  const { stream } = await openReady();
  for (let sent = 0; sent < STREAM_LIMITS.maxInvalidMessages - 1; sent++) {
    stream.send('?');
    expect(await stream.next('error')).toMatchObject({ code: 'invalid_message', fatal: false });
  }
  await sendAtOnce(stream, BURST, { type: 'config' }, 'config_ack');
  await sleep(4000 / RATE);
  stream.send({ type: 'config' });
  await stream.next('config_ack');
  expect(stream.socket.readyState).toBe(stream.socket.OPEN);
  stream.close();
});

test('a client that sends 20 text messages per second is never limited, and audio frames do not count', async () => {
  const { stream } = await openReady();
  for (let sent = 0; sent < 2 * RATE; sent++) {
    stream.send({ type: 'config' });
    await sleep(1000 / RATE);
  }
  for (let sent = 0; sent < 10 * BURST; sent++) stream.socket.send(Buffer.alloc(320));
  stream.send({ type: 'flush' });
  expect(await stream.next('final')).toMatchObject({ audio_end_ms: 4000 });
  expect(replies(stream, 'config_ack')).toHaveLength(2 * RATE);
  expect(replies(stream, 'error')).toEqual([]);
  stream.close();
});

test('a stream that changes its context several times counts as one stream of the revision', async () => {
  const counted = async () => {
    const tallies = [...(await stage.ledger.revisions.counts(MODEL)).values()];
    return tallies.reduce((sum, { streams }) => sum + streams, 0);
  };
  await eventually('the streams of earlier tests are counted', 30_000, async () => (await counted()) === streams);
  const before = streams;
  const opened = await openReady();
  const { stream } = opened;
  for (const right of [3, 13, 3, 13, 3]) {
    stream.send({ type: 'config', context: [56, right] });
    expect(await stream.next('config_ack')).toMatchObject({ context_size: [56, right] });
  }
  stream.close();
  await stage.settled(opened);
  await eventually('the stream is counted', 30_000, async () => (await counted()) > before);
  await sleep(4 * TALLY_MS);
  expect(await counted()).toBe(before + 1);
});
