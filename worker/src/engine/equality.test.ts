import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLES_PER_MS } from '@svc-asr/core';
import fc from 'fast-check';
import { goldenFolder, modelsFolder, readWav } from '../testing/data.ts';
import { createGoldenFolder, createGpuFolder } from '../testing/folder.ts';
import { nearly } from '../testing/nearly.ts';
import { callOutside } from '../testing/outside.ts';
import { transcribe } from '../testing/transcribe.ts';
import { parseTokens } from '../model/tokens.ts';
import { textOf } from '../decode/pieces.ts';
import type { Engine } from './engine.ts';
import type { Final } from './protocol.ts';
import { startEngine } from './start.ts';

type Transcribed = Awaited<ReturnType<typeof transcribe>>;

/** Returns a final without its cost, which differs from run to run. */
const withoutCost = ({ cost: _, ...rest }: Final) => rest;

/**
 * Returns the deltas of windows before the last one. If the flush arrives before the last window runs, the engine sends
 * no delta for this window, but only the final.
 */
const deltasBeforeEnd = ({ deltas, final: { startSample, endSample } }: Transcribed) =>
  deltas.filter(({ audioEndMs }) => audioEndMs < Math.floor((endSample - startSample) / SAMPLES_PER_MS));

describe.each([
  ['batches of any size', 'ctc', { paddedBatches: false }],
  ['batches that are padded', 'ctc', { paddedBatches: true }],
  ['GPU graphs', 'ctc', { gpuGraphs: true }],
  ['GPU graphs of a transducer', 'fused', { gpuGraphs: true }],
] as const)('Engine with %s', (_, kind, options) => {
  const audio = readWav(join(goldenFolder, 'speech.wav'));
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine({ modelDir: createGpuFolder(kind), slots: 8, maxBatch: 4, measureMs: 0, ...options });
  });
  afterAll(async () => {
    await engine.close();
  });

  const part = fc.record({ from: fc.nat(60_000), length: fc.integer({ min: 1, max: 90_000 }) });
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1000, max: 32_768 })), {
    minLength: 1,
    maxLength: 12,
  });

  test('returns the same transcript and word times, and confidences within 0.005, however the audio is split and whichever streams share the batch', async () => {
    await fc.assert(
      fc.asyncProperty(part, sizes, fc.array(fc.tuple(part, sizes), { maxLength: 6 }), async (own, cuts, others) => {
        const cutOut = ({ from, length }: typeof own) => audio.subarray(from, from + length);
        const whole = await transcribe(engine, cutOut(own));
        const crowd = others.map(([other, otherCuts]) => transcribe(engine, cutOut(other), { sizes: otherCuts }));
        const chunked = await transcribe(engine, cutOut(own), { sizes: cuts });
        await Promise.all(crowd);
        while (engine.freeSlots < engine.info.slots) await new Promise((resolve) => setTimeout(resolve, 1));
        expect(withoutCost(chunked.final)).toEqual(nearly(withoutCost(whole.final)));
      }),
      { numRuns: 8 },
    );
  });
});

test.each([
  ['CTC model', 'ctc'],
  ['transducer', 'fused'],
] as const)(
  'Engine returns the same finals for a %s with and without GPU graphs, and confidences differ by at most 0.005',
  async (_, kind) => {
    const audio = readWav(join(goldenFolder, 'speech.wav'));
    const modelDir = createGpuFolder(kind);
    const [gpu, host] = await Promise.all([
      startEngine({ modelDir, slots: 3, maxBatch: 2, measureMs: 0, gpuGraphs: true }),
      startEngine({ modelDir, slots: 3, maxBatch: 2, measureMs: 0 }),
    ]);
    expect([gpu.info.gpuGraphs, host.info.gpuGraphs]).toEqual([true, false]);
    const ends = [audio.length, 100_001, 54_321, 17_920, 16_840, 1_281, 160, 159];
    for (const end of ends) {
      const part = audio.subarray(0, end);
      const texts = [gpu, host].map((engine) => transcribe(engine, part, { sizes: [16_000] }));
      const [ours, expected] = (await Promise.all(texts)) as [Transcribed, Transcribed];
      expect(withoutCost(ours.final)).toEqual(nearly(withoutCost(expected.final)));
      expect(deltasBeforeEnd(ours)).toEqual(deltasBeforeEnd(expected));
      if (end === audio.length) expect(deltasBeforeEnd(ours).length).toBeGreaterThan(3);
    }
    for (const { stats } of [gpu, host]) {
      expect(Math.min(stats.runs, stats.computeMs, stats.hostMs)).toBeGreaterThan(0);
      expect(stats.computeMs).toBeLessThanOrEqual(stats.runMs);
    }
    await gpu.close();
    await host.close();
  },
);

test.each(['fused', 'split'] as const)(
  'Engine returns the same finals, with confidences within 0.005, for streams of a %s transducer in one batch as for each stream alone',
  async (kind) => {
    const audio = readWav(join(goldenFolder, 'speech.wav'));
    const engine = await startEngine({ modelDir: createGoldenFolder(kind), slots: 3, maxBatch: 3, measureMs: 0 });
    const parts = [audio.subarray(0, 40_000), audio.subarray(30_000, 90_000), audio.subarray(80_000, 81_000)];
    const alone = [];
    for (const part of parts) alone.push((await transcribe(engine, part)).final);
    while (engine.freeSlots < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    const together = await Promise.all(parts.map((part) => transcribe(engine, part, { sizes: [1600] })));
    expect(together.map(({ final }) => withoutCost(final))).toEqual(alone.map((one) => nearly(withoutCost(one))));
    expect(alone[0]?.text).not.toBe(alone[1]?.text);
    await engine.close();
  },
);

describe.each([
  ['svc-asr-kikuyu-v1', 'ki'],
  ['svc-asr-dholuo-v1', 'luo'],
])('Engine with the model %s', (id, code) => {
  const folder = join(modelsFolder, id);
  const names = readdirSync(join(folder, 'eval')).filter((name) => name.endsWith('.wav'));

  test.each([13, 3])(
    'returns the same transcripts as the reference implementation with %d frames of look-ahead',
    async (right) => {
      const engine = await startEngine({ modelDir: folder, slots: names.length, measureMs: 0 });
      expect(engine.info.languageCode).toBe(code);
      const { pieces } = parseTokens(readFileSync(join(folder, 'tokens.txt'), 'utf8'));
      const reference = new URL('../testing/reference.ts', import.meta.url);
      const files = { folder, encoder: 'model.onnx', pieces: pieces.length - 1, right };
      const wavs = names.map((name) => join(folder, 'eval', name));
      const ours = await Promise.all(
        wavs.map((wav) => transcribe(engine, readWav(wav), { sizes: [1600], context: [56, right] })),
      );
      const expected = await callOutside<number[][]>(reference, 'referenceIds', files, wavs);
      const text = (ids: number[]) => ids.map((piece) => textOf(pieces[piece]!)).join('');
      expect(ours.map(({ final }) => final.text)).toEqual(expected.map((ids) => text(ids).trim()));
      await engine.close();
    },
  );

  test('has a graph that returns bit-identical log-probabilities and caches for a stream, whichever other streams share its batch', async () => {
    const neighbours = new URL('../testing/neighbours.ts', import.meta.url);
    const sizes = [2, 5, 16];
    const equal = await callOutside<boolean[]>(neighbours, 'equalToAlone', join(folder, 'model.onnx'), sizes);
    expect(equal).toEqual(sizes.map(() => true));
  });
});
