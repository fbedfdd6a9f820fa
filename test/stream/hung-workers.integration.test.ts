import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { startDroppingWorker } from './dropping-worker.ts';
import type { DroppingWorker } from './dropping-worker.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Opened, Stage } from './stage.ts';

/** Two seconds of audio in two frames. It contains a whole chunk, which a worker must answer. */
const AUDIO = Buffer.alloc(64_000, 1);
const FRAME_BYTES = 32_000;
const SILENCE_MS = 4000;
const ANSWER_MS = 6000;
const IDLE_MS = 12_000;
const GATEWAY = {
  WORKER_SILENCE_TIMEOUT_MS: String(SILENCE_MS),
  WORKER_OPEN_TIMEOUT_MS: String(SILENCE_MS),
  WORKER_ANSWER_TIMEOUT_MS: String(ANSWER_MS),
  STREAM_IDLE_MS: String(IDLE_MS),
};
const FREE = { state: 'failed', billableMs: 0, balance: { reservedMs: 0, consumedMs: 0, availableMs: CREDIT_MS } };

/** Sends audio and a flush. */
function sendUtterance({ stream }: Opened): void {
  stream.audio(AUDIO, FRAME_BYTES);
  stream.send({ type: 'flush' });
}

/** Returns whether a stream has left its worker. The gateway may still be searching for another worker. */
function hasMoved(stage: Stage, { session }: Opened): boolean {
  const lines = stage.gateway.output().split('\n');
  return lines.some((line) => line.includes(session.id) && line.includes('moves to another worker'));
}

describe('when every worker is suspended', () => {
  let stage: Stage;
  /** Streams that were ready before the workers were suspended, one for each test. */
  let streams: Opened[];
  /** The stream whose client waits for its final until the workers run again. */
  let waiting: Opened;
  let waitingSince: number;
  const workers = () => stage.workers.map(({ pid }) => pid);
  beforeAll(async () => {
    stage = await setStage({ gateway: GATEWAY, workers: [{}, {}] });
    streams = await Promise.all([60, 60, 2, 60].map((seconds) => stage.ready(seconds)));
    await freeze(...workers());
    waiting = streams[3]!;
    sendUtterance(waiting);
    waitingSince = performance.now();
  }, STAGE_TIMEOUT_MS);
  afterAll(async () => {
    thaw(...workers());
    await stage.stop();
  });

  test.concurrent('a client that closes while its stream has no worker pays nothing', async () => {
    const opened = streams[0]!;
    sendUtterance(opened);
    await eventually('the stream has left its worker', 30_000, () => hasMoved(stage, opened));
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 2000 });
  });

  test.concurrent('a client that closes before its final is overdue pays for its audio', async () => {
    const opened = streams[1]!;
    sendUtterance(opened);
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 2000, billableMs: 2000 });
  });

  test.concurrent('a client that disconnects while the last final is overdue pays nothing', async () => {
    const opened = streams[2]!;
    sendUtterance(opened);
    await sleep(SILENCE_MS * 1.5);
    opened.stream.socket.terminate();
    expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 2000 });
  });

  // This test runs after the concurrent ones, because it resumes the workers.
  test('a client that waits longer than the idle timeout for a final does not count as idle, and gets the final after the workers resume', async () => {
    await sleep(waitingSince + IDLE_MS * 1.5 - performance.now());
    thaw(...workers());
    await waiting.stream.next('final');
    waiting.stream.close();
    expect(await stage.settled(waiting)).toMatchObject({ state: 'completed', audioMs: 2000, billableMs: 2000 });
  });
});

describe('when no worker is registered', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ workers: [] });
  }, STAGE_TIMEOUT_MS);
  afterAll(() => stage.stop());

  test('a client that closes before its stream is ready pays nothing', async () => {
    const opened = await stage.connect();
    await opened.stream.next('status');
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 0 });
  });
});

describe('when workers open streams, but return no transcripts', () => {
  let stage: Stage;
  let worker: DroppingWorker;
  beforeAll(async () => {
    stage = await setStage({ gateway: GATEWAY, workers: [] });
    worker = await startDroppingWorker(stage.ledger, 3);
  }, STAGE_TIMEOUT_MS);
  afterAll(async () => {
    worker.stop();
    await stage.stop();
  });

  test('a client that closes pays nothing if the silences of two workers of its stream add up to more than the limit', async () => {
    const opened = await stage.ready();
    worker.mute(true);
    sendUtterance(opened);
    await eventually('a second worker has the stream', 30_000, () => worker.opened() > 1);
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 2000 });
  });

  describe('and send `alive`,', () => {
    beforeAll(() => {
      worker.mute(true);
      worker.keepAlive(true);
    });
    afterAll(() => worker.keepAlive(false));

    test.concurrent('a client that closes while its final is overdue pays nothing', async () => {
      const opened = await stage.ready();
      sendUtterance(opened);
      await sleep(SILENCE_MS * 1.2);
      opened.stream.close();
      expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 2000 });
    });

    test.concurrent('a client that sends no flush and closes while its delta is overdue pays nothing', async () => {
      const opened = await stage.ready();
      opened.stream.audio(AUDIO, FRAME_BYTES);
      await sleep(SILENCE_MS * 1.2);
      opened.stream.close();
      expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 2000 });
    });

    test.concurrent('the stream moves to another worker', async () => {
      const opened = await stage.ready();
      sendUtterance(opened);
      await eventually('another worker has the stream', 30_000, () => worker.workersOf(opened.session.id) > 1);
      opened.stream.close();
      expect(await stage.settled(opened)).toMatchObject({ ...FREE, audioMs: 2000 });
    });

    test.concurrent('a client that pauses within a chunk keeps its worker and pays for its audio', async () => {
      const opened = await stage.ready();
      // Sends 1,060 of the 1,120 ms of a chunk. The gateway forwards this audio, because a worker can process the chunk
      // without its last samples, which no feature of the chunk uses.
      opened.stream.audio(AUDIO.subarray(0, 33_920), FRAME_BYTES);
      await sleep(ANSWER_MS * 1.2);
      expect(hasMoved(stage, opened)).toBe(false);
      opened.stream.close();
      expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 1060, billableMs: 2000 });
    });
  });

  test('a client that closes immediately after it has changed the context pays for its audio', async () => {
    worker.mute(false);
    const opened = await stage.ready();
    sendUtterance(opened);
    await opened.stream.next('final');
    opened.stream.send({ type: 'config', context: [56, 3] });
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 2000, billableMs: 2000 });
  });
});
