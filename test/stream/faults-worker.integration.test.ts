import type { Ledger } from '@svc-asr/ledger';
import { eventually } from '../support/eventually.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { recording } from '../support/recording.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 5);
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

/** Streams the recording at a pace and calls `during` after a random part of it. Returns the text of the final. */
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
  // Nothing is repeated: there is one final, and deltas only move forward.
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

/** Returns the worker that a session is on. Waits if it has to register again after it was suspended. */
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

test(
  `a stream moves within seconds when its worker hangs at ${ROUNDS} random moments`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      let frozen: TestWorker | undefined;
      const text = await transcript(5, async () => {
        frozen = await workerOf();
        process.kill(frozen.pid, 'SIGSTOP');
      });
      expect(text).toBe(expected);
      process.kill(frozen!.pid, 'SIGCONT');
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
