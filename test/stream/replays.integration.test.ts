import { startDroppingWorker } from './dropping-worker.ts';
import type { DroppingWorker } from './dropping-worker.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

/**
 * One second of audio in one frame. It is less than a chunk, so the gateway sends it to the worker only with the flush,
 * and there is no delta.
 */
const SECOND = Buffer.alloc(32_000, 1);
const FRAME_BYTES = 65_536;
/** Number of workers, which is more than a stream loses in these tests. */
const WORKERS = 6;

let stage: Stage;
let worker: DroppingWorker;
beforeAll(async () => {
  stage = await setStage({ workers: [] });
  worker = await startDroppingWorker(stage.ledger, WORKERS);
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  worker.stop();
  await stage.stop();
});

test('an utterance that loses three workers ends the stream with 1011 and no charge', async () => {
  const opened = await stage.ready();
  const { stream } = opened;
  worker.drop(Infinity);
  stream.audio(SECOND, FRAME_BYTES);
  stream.send({ type: 'flush' });
  expect(await stream.closed).toEqual({ code: 1011, reason: 'internal_error' });
  expect(stream.events.at(-1)).toMatchObject({ type: 'error', code: 'internal_error', fatal: true });
  expect(worker.opened()).toBe(3);
  expect(await stage.settled(opened)).toMatchObject({
    state: 'failed',
    audioMs: 1000,
    billableMs: 0,
    balance: { reservedMs: 0, consumedMs: 0, availableMs: CREDIT_MS },
  });
  expect(worker.opened()).toBe(3);
});

test('each utterance survives two lost workers, regardless of earlier utterances', async () => {
  const opened = await stage.ready();
  const { stream } = opened;
  for (const utterance of [1, 2]) {
    worker.drop(2);
    stream.audio(SECOND, FRAME_BYTES);
    stream.send({ type: 'flush' });
    expect(await stream.next('final')).toMatchObject({ utterance, text: '16000 samples' });
    expect(worker.opened()).toBe(3);
  }
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  expect(stream.events.filter(({ type }) => type === 'final')).toHaveLength(2);
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 2000, billableMs: 2000 });
});
