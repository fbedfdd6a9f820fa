import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { STREAM_LIMITS } from '@svc-asr/core';
import { untilPoolIsEmpty } from '../support/empty-pool.ts';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { MODEL } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const { pcm } = recording();
const IDLE_MS = 5000;
const MIB = 1_048_576;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    // The tests suspend the worker for longer than the idle timeout of clients. The silence timeout is even longer, so
    // that streams do not move away from the suspended worker.
    gateway: { STREAM_IDLE_MS: String(IDLE_MS), STREAM_PING_MS: '2000', WORKER_SILENCE_TIMEOUT_MS: '30000' },
  });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

test('a client that sends too fast is slowed down rather than timed out and gets its final when the worker resumes', async () => {
  const [worker] = stage.workers;
  const seconds = 60;
  const opened = await stage.ready(seconds);
  const { stream } = opened;
  await freeze(worker!.pid);
  const before = residentBytes(stage.gateway.pid);
  const sent = 40 * MIB;
  try {
    stream.audio(Buffer.alloc(sent), 65_536);
    // This is longer than the idle timeout and two ping intervals. While the gateway does not read from a client,
    // neither the idle timeout nor the pings end its stream.
    await sleep(IDLE_MS * 1.5);
    // The kernel's buffers take some data. The gateway takes no more than a few chunks.
    expect(stream.socket.bufferedAmount).toBeGreaterThan(sent / 2);
    expect(residentBytes(stage.gateway.pid) - before).toBeLessThan(16 * MIB);
    expect(stream.events.map(({ type }) => type)).not.toContain('error');
  } finally {
    thaw(worker!.pid);
  }
  expect(await stream.next('final')).toMatchObject({ utterance: 1, audio_start_ms: 0, audio_end_ms: seconds * 1000 });
  expect(await stream.closed).toEqual({ code: 1000, reason: 'audio_limit_reached' });
  expect(await stage.settled(opened)).toMatchObject({ audioMs: seconds * 1000, billableMs: seconds * 1000 });
});

test('eight copies of a recording that are sent faster than real time are all transcribed, in one utterance', async () => {
  const { stream } = await stage.ready(120);
  const once = async () => {
    stream.send({ type: 'flush' });
    return stream.next('final');
  };
  stream.audio(pcm);
  const { text } = await once();
  for (let copies = 0; copies < 8; copies++) stream.audio(pcm, 65_536);
  const whole = await once();
  expect(whole.audio_end_ms - whole.audio_start_ms).toBeGreaterThan(8 * (pcm.length / 32) - 2);
  expect(whole.text.length).toBeGreaterThan(6 * text.length);
  const deltas = stream.events.flatMap((event) => (event.type === 'delta' && event.utterance === 2 ? [event] : []));
  expect(deltas.length).toBeGreaterThan(10);
  stream.close();
});

test('each flush and reset of a whole burst gets one reply, in order', async () => {
  const { stream } = await stage.ready();
  // One message of the burst remains for the flush after the audio.
  const count = STREAM_LIMITS.textMessageBurst - 1;
  for (let sent = 0; sent < count; sent++) stream.send({ type: sent % 10 === 9 ? 'reset' : 'flush' });
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  const last = await eventually('the last final', 60_000, () =>
    stream.events.find((event) => event.type === 'final' && event.utterance === count + 1),
  );
  expect(last).toMatchObject({ text: expect.stringMatching(/./) as unknown });
  // A reset_ack has the number of the utterance that starts after the reset.
  const ended = stream.events.flatMap((event) =>
    event.type === 'final' ? [event.utterance] : event.type === 'reset_ack' ? [event.utterance - 1] : [],
  );
  expect(ended).toEqual(Array.from({ length: count + 1 }, (_, at) => at + 1));
  stream.close();
});

test('a client that does not read delays no other client, and its session is settled in the end', async () => {
  const slow = await stage.ready(300);
  slow.stream.socket.pause();
  for (let copies = 0; copies < 4; copies++) slow.stream.audio(pcm);
  const quick = await stage.ready();
  quick.stream.audio(pcm);
  quick.stream.send({ type: 'flush' });
  expect((await quick.stream.next('final')).text).not.toBe('');
  quick.stream.close();
  expect(await stage.settled(quick)).toMatchObject({ state: 'completed' });
  // A client that does not read also leaves pings unanswered, so the gateway disconnects it.
  const samples = 2 * pcm.length;
  expect(await stage.settled(slow)).toMatchObject({ state: 'completed', audioMs: Math.ceil(samples / 16) });
  slow.stream.socket.terminate();
});

test('clients whose connections break leave no sessions behind', async () => {
  const streams = await Promise.all(Array.from({ length: 10 }, () => stage.ready()));
  for (const [i, { stream }] of streams.entries()) {
    stream.audio(pcm.subarray(0, 3200 * i));
    if (i % 2 === 0) stream.send({ type: 'flush' });
  }
  await sleep(100);
  for (const { stream } of streams) stream.socket.terminate();
  const ended = await Promise.all(streams.map((opened) => stage.settled(opened)));
  expect(ended.map(({ state }) => state)).toEqual(Array<string>(10).fill('completed'));
  await untilPoolIsEmpty(stage.ledger, MODEL);
});
