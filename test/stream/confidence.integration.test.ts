import type { Word } from '@svc-asr/core';
import { MODEL } from '../support/gateway.ts';
import { addNoiseBelow } from '../support/noise.ts';
import { recordings } from '../support/recording.ts';
import { startDroppingWorker } from './dropping-worker.ts';
import type { DroppingWorker } from './dropping-worker.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

/** Streams audio and returns the words of its final. */
async function wordsOf(stage: Stage, pcm: Buffer): Promise<Word[]> {
  const { stream } = await stage.ready();
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  const { words } = await stream.next('final');
  stream.close();
  return words;
}

function addNoise(pcm: Buffer): Buffer {
  const samples = Int16Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(at * 2));
  return Buffer.from(addNoiseBelow(samples, 0).buffer);
}

describe('a stream of a recording', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  }, STAGE_TIMEOUT_MS);
  afterAll(() => stage.stop());

  test('returns a confidence from 0 to 1 for each word, which is lower on average if the recording is noisy', async () => {
    const spoken = recordings(MODEL).map(({ pcm }) => pcm);
    const confidencesOf = async (audio: readonly Buffer[]) => {
      const words = await Promise.all(audio.map((pcm) => wordsOf(stage, pcm)));
      return words.flat().map(({ confidence = NaN }) => confidence);
    };
    const clean = await confidencesOf(spoken);
    const noisy = await confidencesOf(spoken.map(addNoise));
    for (const confidence of [...clean, ...noisy]) {
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
      expect(String(confidence).length).toBeLessThanOrEqual('0.123'.length);
    }
    expect(clean.length).toBeGreaterThan(50);
    expect(meanOf(clean)).toBeGreaterThan(meanOf(noisy) + 0.1);
  }, 120_000);
});

describe('a stream that a worker of an earlier version serves', () => {
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

  test('returns words without a confidence', async () => {
    expect(await wordsOf(stage, Buffer.alloc(3200))).toEqual([
      { text: '1600', start_ms: 0, end_ms: 0 },
      { text: 'samples', start_ms: 0, end_ms: 0 },
    ]);
  });
});

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
