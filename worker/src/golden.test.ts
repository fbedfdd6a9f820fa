import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LogMel } from './features/logmel.ts';
import { goldenFolder, readNpy, readWav } from './testing/data.ts';
import { createGoldenFolder } from './testing/folder.ts';
import { callOutside } from './testing/outside.ts';
import type { PipelineResult } from './testing/pipeline.ts';
import type { ReferenceFiles } from './testing/reference.ts';

const wav = join(goldenFolder, 'speech.wav');
const pipeline = new URL('./testing/pipeline.ts', import.meta.url);
const reference = new URL('./testing/reference.ts', import.meta.url);
const expected = JSON.parse(readFileSync(join(goldenFolder, 'expected.json'), 'utf8')) as {
  encoder_frames: number;
  feature_frames: number;
  blank_id: number;
};
const files: ReferenceFiles = {
  folder: goldenFolder,
  encoder: 'encoder.onnx',
  decoderJoint: 'decoder_joint.onnx',
  pieces: 128,
  right: 13,
};

const argmax = (row: Float32Array): number => row.indexOf(Math.max(...row));

describe('the recognizer, compared with NeMo,', () => {
  test('computes features that differ by less than 0.001', () => {
    const audio = readWav(wav);
    const { shape, data } = readNpy(join(goldenFolder, 'features.npy'));
    const [mels = 0, columns = 0] = shape;
    const ring = { samples: audio, base: 0, mask: 2 ** 18 - 1 };
    const logMel = new LogMel(mels);
    const frame = new Float32Array(mels);
    let worst = 0;
    for (let t = 0; t < expected.feature_frames; t++) {
      logMel.frames(ring, 0, audio.length, t, 1, { values: frame, offset: 0, stride: 1 });
      for (let m = 0; m < mels; m++) worst = Math.max(worst, Math.abs(frame[m]! - data[m * columns + t]!));
    }
    expect(worst).toBeLessThan(1e-3);
  });

  test('returns CTC log-probabilities that differ by less than 0.05 after the first window, and the same best class in 99 % of the frames', async () => {
    const { rows } = await callOutside<PipelineResult>(pipeline, 'throughPipeline', createGoldenFolder('ctc'), wav);
    const { data } = readNpy(join(goldenFolder, 'ctc_logprobs.npy'));
    const classes = expected.blank_id + 1;
    const [first = new Float32Array(), ...later] = rows;
    const differences = (values: Float32Array, from: number) =>
      Array.from(values, (value, i) => Math.abs(value - data[from + i]!));
    expect(Math.max(...differences(first, 0))).toBeLessThan(0.6);
    const all = Float32Array.from([first, ...later].flatMap((part) => Array.from(part)));
    expect(all.length).toBe(expected.encoder_frames * classes);
    expect(Math.max(...differences(all.subarray(first.length), first.length))).toBeLessThan(0.05);
    let same = 0;
    for (let i = 0; i < expected.encoder_frames; i++) {
      const row = (values: Float32Array) => argmax(values.subarray(i * classes, (i + 1) * classes));
      if (row(all) === row(data)) same++;
    }
    expect(same / expected.encoder_frames).toBeGreaterThanOrEqual(0.99);
  });
});

describe('the recognizer, compared with a plain loop over the same graphs,', () => {
  test.each(['fused', 'split'] as const)('returns the same pieces for a %s transducer', async (kind) => {
    const ours = await callOutside<PipelineResult>(pipeline, 'throughPipeline', createGoldenFolder(kind), wav);
    const [plain] = await callOutside<number[][]>(reference, 'referenceIds', files, [wav]);
    expect(plain?.length).toBeGreaterThan(100);
    expect(ours.ids).toEqual(plain);
  });

  test('returns the same pieces for a CTC model', async () => {
    const ours = await callOutside<PipelineResult>(pipeline, 'throughPipeline', createGoldenFolder('ctc'), wav);
    const { folder, pieces, right } = files;
    const ctc: ReferenceFiles = { folder, encoder: 'model_ctc.onnx', pieces, right };
    expect([ours.ids]).toEqual(await callOutside<number[][]>(reference, 'referenceIds', ctc, [wav]));
  });
});
