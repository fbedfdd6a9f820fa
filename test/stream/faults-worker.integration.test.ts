import type { FinalMessage, ServerMessage } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { recording } from '../support/recording.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

const ROUNDS = 3;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const prefix = ownPrefix();
const { pcm } = recording();
let redis: TestRedis;
let ledger: Ledger;
let gateway: TestGateway;
let workers: TestWorker[] = [];
let expected: string;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  gateway = await startGateway(redis.url, prefix, { STOP_GRACE_MS: '4000' });
  workers = [await startWorker(redis.url, prefix), await startWorker(redis.url, prefix)];
  expected = await transcript(0);
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
  await ledger.link.close();
  await redis.stop();
});

/**
 * Streams the recording with a pause of `msPerFrame` after each frame. Calls `during` after a random frame. Returns the
 * text of the final.
 */
async function transcript(msPerFrame: number, during?: (sessionId: string) => Promise<void>): Promise<string> {
  const { tenant, key } = await seedTenant(ledger, 3_600_000);
  const session = await createSession(gateway, key, { model: MODEL });
  const stream = await openStream(session);
  await stream.next('ready');
  const frames = Math.ceil(pcm.length / 6400);
  const at = Math.floor(Math.random() * frames);
  for (let frame = 0; frame < frames; frame++) {
    stream.socket.send(pcm.subarray(frame * 6400, (frame + 1) * 6400));
    if (frame === at) await during?.(session.id);
    if (msPerFrame > 0) await pause(msPerFrame);
  }
  stream.send({ type: 'flush' });
  const final = await stream.next('final', 30_000);
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  // Nothing is repeated: there is one final, and the end of each delta is later than that of the delta before it.
  expect(stream.events.filter(({ type }) => type === 'final')).toHaveLength(1);
  const ends = stream.events.flatMap((event) => (event.type === 'delta' ? [event.audio_end_ms] : []));
  expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
  const deadline = Date.now() + 30_000;
  while ((await ledger.accounts.usage(tenant))!.recent[0]?.state !== 'completed') {
    if (Date.now() > deadline) throw new Error('the session was not settled');
    await pause(25);
  }
  expect((await ledger.accounts.usage(tenant))!.recent[0]).toMatchObject({ audioMs: Math.ceil(pcm.length / 32) });
  return final.text;
}

/**
 * Returns the worker that has a stream. Waits for it, because a worker that was suspended may have to register first.
 */
async function workerOf(): Promise<TestWorker> {
  return eventually('a worker has the stream', 30_000, async () => {
    const busy = (await ledger.workers.list(MODEL)).find(({ active }) => active > 0);
    return workers.find(({ id }) => id === busy?.id);
  });
}

test(
  `a transcript is complete and has no repetition after SIGKILL of its worker at ${ROUNDS} random moments`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      let killed: TestWorker | undefined;
      const text = await transcript(5, async () => {
        killed = await workerOf();
        await killed.stop('SIGKILL');
      });
      expect(text).toBe(expected);
      const dead = killed!;
      await ledger.workers.remove(MODEL, dead.id);
      workers = [...workers.filter((worker) => worker !== dead), await startWorker(redis.url, prefix)];
    }
  },
  20_000 + ROUNDS * 24_000,
);

/** Speech with pauses. Endpointing of 300 ms cuts it several times. */
const speech = Buffer.concat([pcm, Buffer.alloc(32_000), pcm.subarray(0, 128_000), Buffer.alloc(48_000)]);

/**
 * Streams `speech` and sends a flush after each number of samples in `flushes`. Returns the number of samples before
 * each cut, all events, and all finals. The field `endpoint` is removed from these finals.
 */
async function finalsOf(
  config: object,
  flushes: readonly number[],
  during?: () => Promise<void>,
): Promise<{ finals: FinalMessage[]; cuts: number[]; events: readonly ServerMessage[] }> {
  const { key } = await seedTenant(ledger, 3_600_000);
  const stream = await openStream(await createSession(gateway, key, { model: MODEL }));
  await stream.next('ready');
  stream.send({ type: 'config', ...config });
  await stream.next('config_ack');
  const at = Math.floor(Math.random() * 15) * 16_000;
  let from = 0;
  for (const end of [...flushes, speech.length / 2]) {
    for (; from < end; from = Math.min(end, from + 3200)) {
      stream.socket.send(speech.subarray(from * 2, Math.min(end, from + 3200) * 2));
      if (from <= at && at < from + 3200) await during?.();
      await pause(5);
    }
    stream.send({ type: 'flush' });
  }
  while (stream.events.filter((event) => event.type === 'final' && event.endpoint !== true).length <= flushes.length) {
    await stream.next('final');
  }
  stream.close();
  await stream.closed;
  const finals = stream.events.filter((event) => event.type === 'final');
  const cuts = finals.filter(({ endpoint }) => endpoint === true).map((final) => final.audio_end_ms * 16);
  return { finals: finals.map(({ endpoint: _, ...final }) => final), cuts, events: stream.events };
}

test('endpointing returns the same finals as flushes at the same samples, also after SIGKILL of the worker', async () => {
  // Chunks are short, so that the pause of `silence_ms` after a word often ends in a later chunk than the word itself.
  const context = [56, 3];
  const config = { context, endpointing: { silence_ms: 300 } };
  const usual = await finalsOf(config, []);
  expect(usual.cuts.length).toBeGreaterThan(1);
  expect((await finalsOf({ context }, usual.cuts)).finals).toEqual(usual.finals);
  usual.finals.reduce((endMs, { audio_start_ms, audio_end_ms }) => {
    expect(audio_start_ms).toBe(endMs);
    return audio_end_ms;
  }, 0);
  let killed: TestWorker | undefined;
  const { finals, cuts, events } = await finalsOf(config, [], async () => {
    killed = await workerOf();
    await killed.stop('SIGKILL');
  });
  expect({ finals, cuts }).toEqual({ finals: usual.finals, cuts: usual.cuts });
  expect(orderOf(events)).toEqual(orderOf(usual.events));
  await ledger.workers.remove(MODEL, killed?.id ?? '');
  workers = [...workers.filter((worker) => worker !== killed), await startWorker(redis.url, prefix)];
}, 120_000);

/**
 * Returns the utterance number and the type of each event about an utterance. Combines consecutive deltas of an
 * utterance into one entry.
 */
function orderOf(events: readonly ServerMessage[]): string[] {
  const order = events.flatMap((event) => ('utterance' in event ? [`${event.utterance} ${event.type}`] : []));
  return order.filter((entry, at) => entry !== order[at - 1]);
}

test(
  `a stream moves and keeps its transcript when its worker hangs at ${ROUNDS} random moments`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      let frozen: TestWorker | undefined;
      const text = await transcript(5, async () => {
        frozen = await workerOf();
        await freeze(frozen.pid);
      });
      expect(text).toBe(expected);
      thaw(frozen!.pid);
    }
  },
  20_000 + ROUNDS * 24_000,
);

test('a worker that receives SIGTERM hands its stream over and exits with 0', async () => {
  let stopped: Promise<number | null> | undefined;
  let leaving: TestWorker | undefined;
  const text = await transcript(5, async () => {
    leaving = await workerOf();
    stopped = leaving.stop('SIGTERM');
  });
  expect(text).toBe(expected);
  expect(await stopped).toBe(0);
  workers = [...workers.filter((worker) => worker !== leaving), await startWorker(redis.url, prefix)];
});
