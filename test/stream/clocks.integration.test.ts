import { setTimeout as sleep } from 'node:timers/promises';
import { recording } from '../support/recording.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const { pcm } = recording();
const IDLE_MS = 5000;
/**
 * Interval of pings. The gateway disconnects a client that does not answer two pings. The interval is long enough for a
 * busy client to answer.
 */
const PING_MS = 1000;
const EXTRA_MS = 2000;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    gateway: {
      STREAM_IDLE_MS: String(IDLE_MS),
      STREAM_PING_MS: String(PING_MS),
      STREAM_LIFETIME_EXTRA_MS: String(EXTRA_MS),
      SUSPENSION_INTERVAL_MS: '100',
      CANCELLATION_INTERVAL_MS: '100',
    },
  });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** Sends a message at an interval until the stream has ended. */
async function chat(closed: Promise<unknown>, everyMs: number, send: () => void): Promise<void> {
  const timer = setInterval(send, everyMs);
  await closed;
  clearInterval(timer);
}

test.concurrent('a silent client gets idle_timeout and close code 4408, and pays for the audio it sent', async () => {
  const opened = await stage.ready();
  const { stream } = opened;
  stream.audio(pcm.subarray(0, 32_000));
  const startedAt = performance.now();
  expect(await stream.closed).toEqual({ code: 4408, reason: 'idle_timeout' });
  expect(performance.now() - startedAt).toBeGreaterThan(IDLE_MS - 100);
  expect(stream.events.at(-1)).toMatchObject({ type: 'error', code: 'idle_timeout', fatal: true });
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 1000, billableMs: 1000 });
});

test.concurrent('any message keeps a stream alive, even an invalid one, but a pong does not', async () => {
  const { stream } = await stage.ready();
  let pings = 0;
  stream.socket.on('ping', () => pings++);
  const messages = ['?', Buffer.alloc(1), Buffer.alloc(0), '{"type":"keepalive"}', '{"type":"config"}'];
  for (const message of messages) {
    await sleep(IDLE_MS * 0.4);
    stream.socket.send(message);
  }
  await stream.next('config_ack');
  expect(await stream.closed).toEqual({ code: 4408, reason: 'idle_timeout' });
  // Neither the empty frame nor the keepalive was answered.
  const answers = stream.events.map((event) => (event.type === 'error' ? event.code : event.type));
  expect(answers.filter((answer) => answer !== 'status')).toEqual([
    'ready',
    'invalid_message',
    'invalid_audio_frame',
    'config_ack',
    'idle_timeout',
  ]);
  expect(pings).toBeGreaterThan(3);
});

test.concurrent('a client that misses two pings is disconnected, and its session is completed', async () => {
  // The gateway measures the time since it sent `ready`. A busy client may read `ready` late, so the test measures from
  // an earlier moment.
  const startedAt = performance.now();
  const opened = await stage.ready(60, { socket: { autoPong: false } });
  // The idle timeout would close the stream with 4408 instead.
  expect((await opened.stream.closed).code).toBe(1006);
  expect(performance.now() - startedAt).toBeGreaterThan(2 * PING_MS);
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 0, billableMs: 0 });
});

test.concurrent('a stream lasts at most its reserved audio plus STREAM_LIFETIME_EXTRA_MS, then gets a final and close code 1000', async () => {
  // The gateway measures the time since it sent `ready`. A busy client may read `ready` late, so the test measures from
  // an earlier moment.
  const startedAt = performance.now();
  const opened = await stage.ready(1);
  const { stream } = opened;
  stream.audio(pcm.subarray(0, 16_000));
  await chat(stream.closed, 200, () => stream.send({ type: 'config' }));
  expect(await stream.closed).toEqual({ code: 1000, reason: 'session_time_limit' });
  expect(performance.now() - startedAt).toBeGreaterThan(1000 + EXTRA_MS - 200);
  expect(stream.events.at(-1)).toMatchObject({ type: 'final', utterance: 1, audio_end_ms: 500 });
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 500, billableMs: 1000 });
});

test.concurrent('a session that is cancelled while it streams closes with 1000 and no final, and its audio is charged', async () => {
  const opened = await stage.ready();
  const { stream, session, key } = opened;
  const chatted = chat(stream.closed, 500, () => stream.send({ type: 'keepalive' }));
  stream.audio(pcm.subarray(0, 96_000));
  await stream.next('delta');
  const address = new URL(`/v1/asr/sessions/${session.id}`, stage.gateway.baseUrl);
  const headers = { authorization: `Bearer ${key}` };
  const answers = await Promise.all([1, 2].map(() => fetch(address, { method: 'DELETE', headers })));
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  expect(await stream.closed).toEqual({ code: 1000, reason: 'cancelled' });
  await chatted;
  expect(stream.events.filter(({ type }) => type === 'final' || type === 'error')).toEqual([]);
  const { audioMs, billableMs } = await stage.settled(opened);
  expect(audioMs).toBeGreaterThan(0);
  const detail = (await (await fetch(address, { headers })).json()) as object;
  const ended = { status: 'completed', audio_ms: audioMs, billable_ms: billableMs };
  expect(detail).toMatchObject({ ...ended, end_reason: 'cancelled', close_code: 1000 });
});

test.concurrent('the stream of a suspended account gets a final and close code 4403, while other accounts continue', async () => {
  const [opened, other] = [await stage.ready(), await stage.ready()];
  const { stream, tenant } = opened;
  stream.audio(pcm);
  await stream.next('delta');
  const { displayName, models, limits } = (await stage.ledger.accounts.read(tenant))!;
  await stage.ledger.accounts.configure(tenant, { displayName, models, limits, state: 'Suspended' });
  expect(await stream.closed).toEqual({ code: 4403, reason: 'account_suspended' });
  const [final, error] = stream.events.slice(-2);
  expect(final).toMatchObject({ type: 'final', utterance: 1 });
  expect(error).toMatchObject({ type: 'error', code: 'account_suspended', fatal: true });
  // The gateway might not have accepted all audio before the suspension. The final covers only the accepted audio.
  const audioMs = final?.type === 'final' ? final.audio_end_ms : 0;
  expect(audioMs).toBeGreaterThan(0);
  expect(await stage.settled(opened)).toMatchObject({
    state: 'completed',
    audioMs,
    billableMs: Math.ceil(audioMs / 1000) * 1000,
  });
  other.stream.send({ type: 'config' });
  await other.stream.next('config_ack');
  other.stream.close();
  await stage.settled(other);
});
