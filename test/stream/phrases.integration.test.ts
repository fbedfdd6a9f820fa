import type { FinalMessage } from '@svc-asr/core';
import { eventually } from '../support/eventually.ts';
import { MODEL } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { findRightWords } from '../support/right-words.ts';
import { startDroppingWorker } from './dropping-worker.ts';
import type { DroppingWorker } from './dropping-worker.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Opened, Stage } from './stage.ts';

const { pcm, text: spoken } = recording();

/** Streams the recording and returns its final. Calls `during` after half of the recording. */
async function transcribe({ stream }: Opened, during?: () => Promise<void>): Promise<FinalMessage> {
  const half = pcm.length / 2 - ((pcm.length / 2) % 2);
  stream.audio(pcm.subarray(0, half));
  await during?.();
  stream.audio(pcm.subarray(half));
  stream.send({ type: 'flush' });
  return await stream.next('final', 30_000);
}

describe('a stream with phrases', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ workers: [{}, {}] });
  }, STAGE_TIMEOUT_MS);
  afterAll(() => stage.stop());

  test('recognizes words that a stream without phrases misses, even after its worker is killed, until the client sends a config without phrases', async () => {
    const opened = await stage.ready();
    const { stream } = opened;
    const usual = await transcribe(opened);
    const words = spoken.split(/\s+/);
    const isRight = findRightWords(usual.text.split(/\s+/), words);
    const missed = words.filter((word, i) => isRight[i] !== true && word.length >= 4);
    const phrases = missed.map((text) => ({ text }));
    stream.send({ type: 'config', phrases });
    const boosted = phrases.map(({ text }) => ({ text, boost: 5 }));
    expect(await stream.next('config_ack')).toMatchObject({ phrases: boosted });
    const better = await transcribe(opened);
    const found = missed.filter((word) => better.text.split(' ').includes(word));
    expect(found.length).toBeGreaterThan(0);
    expect(better.words.map(({ text }) => text).join(' ')).toBe(better.text);

    const moved = await transcribe(opened, async () => {
      const busy = await eventually('a worker has the stream', 30_000, async () => {
        const { id } = (await stage.ledger.workers.list(MODEL)).find(({ active }) => active > 0) ?? {};
        return stage.workers.find((worker) => worker.id === id);
      });
      await busy.stop('SIGKILL');
    });
    expect(moved.text).toBe(better.text);

    stream.send({ type: 'config' });
    expect(await stream.next('config_ack')).not.toHaveProperty('phrases');
    expect((await transcribe(opened)).text).toBe(usual.text);
    stream.close();
  }, 120_000);
});

describe('a stream at a worker of an earlier version', () => {
  let stage: Stage;
  let worker: DroppingWorker;
  beforeAll(async () => {
    stage = await setStage({ workers: [] });
    worker = await startDroppingWorker(stage.ledger, 1);
  }, STAGE_TIMEOUT_MS);
  afterAll(async () => {
    worker.stop();
    await stage.stop();
  });

  test('refuses phrases with invalid_config and continues without them', async () => {
    const { stream } = await stage.ready();
    stream.send({ type: 'config', phrases: [{ text: 'nyeri' }] });
    expect(await stream.next('error')).toMatchObject({
      code: 'invalid_config',
      fatal: false,
      message: 'Phrases are not available while the service is being upgraded. Retry later, or leave them out.',
    });
    stream.audio(Buffer.alloc(3200));
    stream.send({ type: 'flush' });
    expect((await stream.next('final')).text).toBe('1600 samples');
    stream.close();
  });
});
