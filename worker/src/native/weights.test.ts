import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readOnnx } from '../model/onnx.ts';
import { goldenFolder } from '../testing/data.ts';
import { memory, runtime } from '../testing/native.ts';
import { writeOnnx } from '../testing/onnx-writer.ts';
import { DeviceArenas } from './arenas.ts';
import { DeviceGraph, openGraph } from './graph.ts';
import type { NativeTensor } from './tensor.ts';
import { SharedWeights } from './weights.ts';

const GPU = join(goldenFolder, 'gpu');
const factsOf = (file: string) => readOnnx(file, readFileSync(join(GPU, file)));

/**
 * Runs one window in a batch with new arenas. Row number `row` contains a tone, and all other rows contain noise.
 * Returns the ids and scores of the row with the tone.
 */
function transcribe(file: string, initializers: ReadonlyMap<string, NativeTensor>, row: number, poisoned: boolean) {
  const opened = openGraph(runtime, memory, join(GPU, file), file, { threads: 1, cudaGraphs: false, initializers });
  const { frames, pages, samples, framing, state } = opened.shape;
  const arenas = new DeviceArenas(runtime, memory, state, { frames: 40 * frames, slots: 8, pageFrames: frames });
  if (poisoned) arenas.poison();
  const graph = new DeviceGraph(runtime, memory, opened, arenas, [3], false);
  const batch = graph.acquire(3);
  if (batch === undefined) throw new Error('no batch is idle');
  const { inputs } = batch;
  for (let i = 0; i < inputs.pcm.length; i++) inputs.pcm[i] = (i * 7919) % 4001;
  for (let i = 0; i < samples; i++) inputs.pcm[row * samples + i] = Math.round(3000 * Math.sin(i / 5));
  for (let i = 0; i < 3; i++) {
    inputs.bounds.set([0, samples, 0, framing.window], i * 4);
    inputs.past.fill(0, i * pages, (i + 1) * pages);
    inputs.page[i] = arenas.firstFrame + i * frames;
    inputs.tailFrom[i] = 0;
    inputs.tailTo[i] = 2 + i;
    inputs.filled[i] = 0;
  }
  batch.submit(3);
  const { ids, scores } = batch.collect();
  const result = [
    ...ids.subarray(row * frames, (row + 1) * frames),
    ...scores.subarray(row * frames, (row + 1) * frames),
  ];
  graph.release();
  arenas.release();
  return result;
}

describe('a GPU graph of the golden model', () => {
  test('returns finite scores that depend neither on the row in the batch nor on unused pages', () => {
    const expected = transcribe('56-13.onnx', new Map(), 0, false);
    expect(expected.every(Number.isFinite)).toBe(true);
    expect(transcribe('56-13.onnx', new Map(), 2, true)).toEqual(expected);
  });

  test('returns the same scores with weights that two contexts share in memory as with its own weights', () => {
    const weights = new SharedWeights(runtime, memory, join(GPU, 'weights.bin'));
    const [large, small] = ['56-13.onnx', '56-3.onnx'].map((file) => weights.initializers(file, factsOf(file)));
    const shared = [...(large ?? [])].filter(([name, tensor]) => small?.get(name) === tensor);
    expect(shared.length).toBeGreaterThan(20);
    for (const [file, initializers] of [
      ['56-13.onnx', large],
      ['56-3.onnx', small],
    ] as const) {
      const plain = transcribe(file, new Map(), 0, false);
      const values = transcribe(file, initializers ?? new Map(), 0, false);
      expect(values).toHaveLength(plain.length);
      for (const [i, value] of values.entries()) expect(value).toBeCloseTo(plain[i] ?? NaN, 4);
    }
    weights.release();
  });

  test('returns other scores if the shared weights are overwritten, which shows that it reads them', () => {
    const weights = new SharedWeights(runtime, memory, join(GPU, 'weights.bin'));
    const initializers = weights.initializers('56-3.onnx', factsOf('56-3.onnx'));
    const plain = transcribe('56-3.onnx', initializers, 0, false);
    for (const { pointer, bytes } of initializers.values()) memory.fill(pointer, 0, bytes);
    expect(transcribe('56-3.onnx', initializers, 0, false)).not.toEqual(plain);
    weights.release();
  });
});

describe('SharedWeights', () => {
  test('throws a ModelError if the file is missing', () => {
    expect(() => new SharedWeights(runtime, memory, '/missing/weights.bin')).toThrow(
      expect.objectContaining({ code: 'file_missing', message: expect.stringContaining('/missing/weights.bin') }),
    );
  });

  test.each([
    ['a position that is not aligned', 128, 64],
    ['a position after the end of the file', 512, 256],
  ])('refuses a weight at %s', (_, offset, length) => {
    const path = join(temporaryFolder('native'), 'weights.bin');
    writeFileSync(path, Buffer.alloc(600));
    const data = { file: 'weights.bin', offset, length };
    const tensors = [{ name: 'w', type: 'float32', shape: [length / 4], data }] as const;
    const facts = readOnnx('g.onnx', writeOnnx({ inputs: [], outputs: [], nodes: [], tensors }));
    const weights = new SharedWeights(runtime, memory, path);
    expect(() => weights.initializers('g.onnx', facts)).toThrow(
      /g\.onnx: the weight "w" is at byte \d+ of weights\.bin/,
    );
    weights.release();
  });
});
