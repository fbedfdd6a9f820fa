import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addNoiseBelow } from '../../../test/support/noise.ts';
import { findRightWords } from '../../../test/support/right-words.ts';
import type { Word } from '../decode/pieces.ts';
import { modelsFolder, readWav } from '../testing/data.ts';
import { transcribe } from '../testing/transcribe.ts';
import type { Engine } from './engine.ts';
import { startEngine } from './start.ts';

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.each(['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'])('Engine with the model %s', (id) => {
  const modelDir = join(modelsFolder, id);
  const recordings = readdirSync(join(modelDir, 'eval'))
    .filter((name) => name.endsWith('.wav'))
    .map((name) => {
      const path = join(modelDir, 'eval', name);
      return { audio: readWav(path), text: readFileSync(path.replace(/wav$/, 'txt'), 'utf8').trim() };
    });
  let engine: Engine;
  /** Words of each recording, recognized while the engine served no other stream. */
  const alone: (readonly Word[])[] = [];
  beforeAll(async () => {
    engine = await startEngine({ modelDir, slots: recordings.length, measureMs: 0 });
    for (const { audio } of recordings) alone.push((await transcribe(engine, audio, { sizes: [16_000] })).final.words);
  });
  afterAll(async () => {
    await engine.close();
  });

  /** Waits until all slots are free. The slot of a closed stream becomes free a little later. */
  async function untilFree(): Promise<void> {
    while (engine.freeSlots < engine.info.slots) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  test('gives right words a higher confidence on average than wrong words', () => {
    const right: number[] = [];
    const wrong: number[] = [];
    for (const [at, words] of alone.entries()) {
      const texts = words.map(({ text }) => text);
      const isRight = findRightWords(recordings[at]?.text.split(/\s+/) ?? [], texts);
      for (const [i, { confidence }] of words.entries()) (isRight[i] === true ? right : wrong).push(confidence);
    }
    expect(Math.min(right.length, wrong.length)).toBeGreaterThan(10);
    expect(meanOf(right)).toBeGreaterThan(meanOf(wrong) + 0.2);
  });

  test('gives words a lower confidence on average if noise is added to the recordings', async () => {
    await untilFree();
    const noisy = await Promise.all(
      recordings.map(({ audio }) => transcribe(engine, addNoiseBelow(audio, 0), { sizes: [16_000] })),
    );
    const confidences = (words: readonly (readonly Word[])[]) => words.flat().map(({ confidence }) => confidence);
    const [clean, degraded] = [confidences(alone), confidences(noisy.map(({ final }) => final.words))];
    expect(meanOf(clean)).toBeGreaterThan(meanOf(degraded) + 0.1);
  });

  test('gives each word exactly the same confidence, whichever other streams share the batch', async () => {
    await untilFree();
    const together = await Promise.all(recordings.map(({ audio }) => transcribe(engine, audio, { sizes: [1600] })));
    expect(together.map(({ final }) => final.words)).toEqual(alone);
  });

  test('gives words nearly the same confidences with GPU graphs as without them', async () => {
    const gpu = await startEngine({ modelDir, slots: 1, maxBatch: 1, measureMs: 0, gpuGraphs: true });
    const [audio, expected] = [recordings[0]?.audio ?? new Int16Array(0), alone[0] ?? []];
    const { final } = await transcribe(gpu, audio, { sizes: [16_000] });
    await gpu.close();
    const ours = new Map(final.words.map(({ text, start_ms, confidence }) => [`${text} ${start_ms}`, confidence]));
    const differences = expected.flatMap(({ text, start_ms, confidence }) => {
      const other = ours.get(`${text} ${start_ms}`);
      return other === undefined ? [] : [Math.abs(confidence - other)];
    });
    expect(differences.length).toBeGreaterThan(expected.length / 2);
    expect(meanOf(differences)).toBeLessThan(0.1);
  });
});
