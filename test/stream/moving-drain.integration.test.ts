import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { MODEL } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Opened, Stage } from './stage.ts';

const WAIT_MS = 60_000;
const TEST_MS = 240_000;
/** A drain that lasts longer than a test. */
const LONG_DRAIN = { DRAIN_TIMEOUT_MS: '600000' };
/** A drain that ends within a test. */
const SHORT_DRAIN = { DRAIN_TIMEOUT_MS: '3000' };
const { pcm } = recording();
const HALF = Math.floor(pcm.length / 4) * 2;
const [FIRST, SECOND] = [pcm.subarray(0, HALF), pcm.subarray(HALF)];

let stage: Stage;
let expected: string;
const workers: TestWorker[] = [];
const streams: Opened[] = [];

beforeAll(async () => {
  stage = await setStage({ workers: [] });
  await addWorker();
  const opened = await stage.ready();
  opened.stream.audio(pcm);
  expected = await finish(opened);
  await endWorkers();
}, STAGE_TIMEOUT_MS);
afterEach(async () => {
  for (const { stream } of streams.splice(0)) stream.socket.terminate();
  await endWorkers();
});
afterAll(() => stage.stop());

async function addWorker(settings: NodeJS.ProcessEnv = LONG_DRAIN): Promise<TestWorker> {
  const worker = await startWorker(stage.redis.url, stage.prefix, settings);
  workers.push(worker);
  return worker;
}

/** Adds a worker that is registered but frozen, so that it does not answer. */
async function addFrozenWorker(): Promise<TestWorker> {
  const worker = await addWorker();
  await freeze(worker.pid);
  return worker;
}

async function endWorkers(): Promise<void> {
  for (const worker of workers.splice(0)) {
    await worker.stop('SIGKILL');
    await stage.ledger.workers.remove(MODEL, worker.id);
  }
}

async function recordOf({ id }: TestWorker) {
  return (await stage.ledger.workers.list(MODEL)).find((record) => record.id === id);
}

/** Sends SIGTERM and waits until the ledger lists the worker as draining. `exited` resolves with the exit code. */
async function drain(worker: TestWorker): Promise<{ exited: Promise<number | null> }> {
  const exited = worker.stop('SIGTERM');
  await eventually('the worker drains', WAIT_MS, async () => (await recordOf(worker))?.draining === true);
  return { exited };
}

/** Waits until the ledger counts this number of streams for a worker. */
async function countsStreams(worker: TestWorker, count: number): Promise<void> {
  const what = `the ledger counts ${count} streams for ${worker.id}`;
  await eventually(what, WAIT_MS, async () => (await recordOf(worker))?.active === count);
}

async function open(): Promise<Opened> {
  const opened = await stage.ready();
  streams.push(opened);
  return opened;
}

/** Opens a stream, sends half of the recording and waits for a delta. */
async function openHalfway(): Promise<Opened> {
  const opened = await open();
  opened.stream.audio(FIRST);
  await opened.stream.next('delta');
  return opened;
}

/** Flushes and closes a stream. Checks that it got one final and no repeated delta, and that its audio is charged. */
async function finish(opened: Opened): Promise<string> {
  const { stream } = opened;
  stream.send({ type: 'flush' });
  const { text } = await stream.next('final', WAIT_MS);
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  expect(stream.events.filter(({ type }) => type === 'final')).toHaveLength(1);
  const ends = stream.events.flatMap((event) => (event.type === 'delta' ? [event.audio_end_ms] : []));
  expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
  const audioMs = Math.ceil(pcm.length / 32);
  expect(await stage.settled(opened, WAIT_MS)).toMatchObject({ state: 'completed', audioMs });
  return text;
}

test(
  'the only worker serves its stream to the end while it drains, even if the context changes, and exits with 0',
  async () => {
    const worker = await addWorker();
    const opened = await open();
    const { exited } = await drain(worker);
    opened.stream.send({ type: 'config', context: [56, 3] });
    expect(await opened.stream.next('config_ack')).toMatchObject({ context_size: [56, 3] });
    opened.stream.send({ type: 'config', context: [56, 13] });
    expect(await opened.stream.next('config_ack')).toMatchObject({ context_size: [56, 13] });
    opened.stream.audio(pcm);
    expect(await finish(opened)).toBe(expected);
    expect(await exited).toBe(0);
  },
  TEST_MS,
);

test(
  'streams stay on a draining worker until another worker is ready, and then move without lost or repeated text',
  async () => {
    const old = await addWorker();
    await Promise.all([openHalfway(), openHalfway(), openHalfway()]);
    const { exited } = await drain(old);
    for (const { stream } of streams) {
      stream.audio(SECOND.subarray(0, 64_000));
      await stream.next('delta');
    }
    expect(await stage.ledger.pools.load(MODEL)).toMatchObject({ active: 3, waiting: 0, slots: 0 });
    await addWorker();
    expect(await exited).toBe(0);
    for (const { stream } of streams) stream.audio(SECOND.subarray(64_000));
    for (const opened of streams) expect(await finish(opened)).toBe(expected);
  },
  TEST_MS,
);

test(
  'a draining worker answers a flush that arrives while the next worker opens the stream',
  async () => {
    const old = await addWorker();
    const { stream } = await openHalfway();
    const next = await addFrozenWorker();
    const { exited } = await drain(old);
    await countsStreams(next, 1);
    stream.audio(SECOND);
    stream.send({ type: 'flush' });
    expect(await stream.next('final', WAIT_MS)).toMatchObject({ text: expected, utterance: 1 });
    stream.audio(FIRST);
    await stream.next('delta', WAIT_MS);
    thaw(next.pid);
    stream.audio(SECOND);
    stream.send({ type: 'flush' });
    expect(await stream.next('final', WAIT_MS)).toMatchObject({ text: expected, utterance: 2 });
    expect(await exited).toBe(0);
    stream.close();
  },
  TEST_MS,
);

test(
  'a stream whose draining worker is killed during the move continues on the next worker',
  async () => {
    const old = await addWorker();
    const opened = await openHalfway();
    const next = await addFrozenWorker();
    await drain(old);
    await countsStreams(next, 1);
    process.kill(old.pid, 'SIGKILL');
    opened.stream.audio(SECOND);
    thaw(next.pid);
    expect(await finish(opened)).toBe(expected);
  },
  TEST_MS,
);

test(
  'a stream whose next worker is killed during the move stays on the draining worker, and later moves to a third worker',
  async () => {
    const old = await addWorker();
    const opened = await openHalfway();
    const next = await addFrozenWorker();
    const { exited } = await drain(old);
    await countsStreams(next, 1);
    await next.stop('SIGKILL');
    await countsStreams(old, 1);
    opened.stream.audio(SECOND.subarray(0, 64_000));
    await opened.stream.next('delta', WAIT_MS);
    await addWorker();
    expect(await exited).toBe(0);
    opened.stream.audio(SECOND.subarray(64_000));
    expect(await finish(opened)).toBe(expected);
  },
  TEST_MS,
);

describe('a stream that its worker has closed at the end of the drain', () => {
  test(
    'waits, and continues on a worker that starts within maxWaitSeconds',
    async () => {
      const old = await addWorker(SHORT_DRAIN);
      const opened = await openHalfway();
      expect(await old.stop('SIGTERM')).toBe(0);
      opened.stream.audio(SECOND);
      await addWorker();
      expect(await finish(opened)).toBe(expected);
    },
    TEST_MS,
  );

  test(
    'is closed with 4503 and free of charge if no worker starts within maxWaitSeconds',
    async () => {
      const entry = { id: MODEL, language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 120 };
      await stage.ledger.catalogue.replace([{ ...entry, maxWaitSeconds: 5 }]);
      const old = await addWorker(SHORT_DRAIN);
      const opened = await openHalfway();
      expect(await old.stop('SIGTERM')).toBe(0);
      expect(await opened.stream.closed).toEqual({ code: 4503, reason: 'no_capacity' });
      const balance = { reservedMs: 0, consumedMs: 0, availableMs: CREDIT_MS };
      expect(await stage.settled(opened, WAIT_MS)).toMatchObject({ state: 'failed', billableMs: 0, balance });
      await stage.ledger.catalogue.replace([entry]);
    },
    TEST_MS,
  );
});
