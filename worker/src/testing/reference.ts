import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { LogMel } from '../features/logmel.ts';
import { cacheSizes } from './cache-sizes.ts';
import { readWav } from './data.ts';

/**
 * Files and look-ahead for a simple recognizer. Tests compare its results with those of the engine. The recognizer
 * computes all features of a recording together. Then it runs one window after the other, with new tensors, a batch of
 * one stream and a simple greedy search. It shares only the feature extractor and the list of a graph's inputs with the
 * engine.
 */
export interface ReferenceFiles {
  readonly folder: string;
  readonly encoder: string;
  readonly decoderJoint?: string;
  readonly pieces: number;
  readonly right: number;
}

const floats = (dims: number[], data = new Float32Array(dims.reduce((a, b) => a * b, 1))) =>
  new Tensor('float32', data, dims);
const longs = (value: number) => new Tensor('int64', BigInt64Array.of(BigInt(value)), [1]);
const ints = (value: number, dims: number[]) => new Tensor('int32', Int32Array.of(value), dims);

/** Recognizes recordings with the simple recognizer (see `ReferenceFiles`). Returns the piece ids of each recording. */
export async function referenceIds(files: ReferenceFiles, wavs: readonly string[]): Promise<number[][]> {
  const open = (file: string) => InferenceSession.create(join(files.folder, file), { intraOpNumThreads: 1 });
  const encoder = await open(files.encoder);
  const joint = files.decoderJoint === undefined ? undefined : await open(files.decoderJoint);
  const recordings: number[][] = [];
  for (const wav of wavs) {
    const rows = await encode(encoder, files, readWav(wav));
    const ids = joint === undefined ? collapse(rows, files.pieces) : await greedy(joint, rows, files.pieces);
    recordings.push(ids);
  }
  return recordings;
}

async function encode(
  encoder: InferenceSession,
  { right }: ReferenceFiles,
  audio: Int16Array,
): Promise<Float32Array[]> {
  const frames = Math.floor(audio.length / 160);
  const [shift, window] = [8 * (right + 1), 8 * (right + 1) + 9];
  const total = frames + 16;
  const features = new Float32Array(80 * total);
  const mask = 2 ** Math.ceil(Math.log2(audio.length + 1)) - 1;
  const matrix = { values: features, offset: 16, stride: total };
  new LogMel(80).frames({ samples: audio, base: 0, mask }, 0, audio.length, 0, frames, matrix);
  const { layers, width } = cacheSizes(encoder);
  let caches = { channel: floats([1, layers, 56, width]), time: floats([1, layers, width, 8]), filled: longs(0) };
  const rows: Float32Array[] = [];
  for (let at = 0; at + window - shift < total; at += shift) {
    const length = Math.min(window, total - at);
    const part = new Float32Array(80 * window);
    for (let m = 0; m < 80; m++) part.set(features.subarray(m * total + at, m * total + at + length), m * window);
    const answer = await encoder.run({
      audio_signal: floats([1, 80, window], part),
      length: longs(length),
      cache_last_channel: caches.channel,
      cache_last_time: caches.time,
      cache_last_channel_len: caches.filled,
    });
    const [channel, time, filled] = [
      'cache_last_channel_next',
      'cache_last_time_next',
      'cache_last_channel_next_len',
    ].map((n) => answer[n]);
    caches = {
      channel: channel as typeof caches.channel,
      time: time as typeof caches.time,
      filled: filled as typeof caches.filled,
    };
    const count = Number((answer.encoded_lengths?.data as BigInt64Array | undefined)?.[0]);
    const out = answer.logprobs ?? answer.outputs;
    if (out === undefined) throw new Error('the encoder returned no rows');
    const data = out.data as Float32Array;
    const [, a = 0, b = 0] = out.dims;
    for (let i = 0; i < count; i++) {
      rows.push(
        answer.logprobs
          ? data.slice(i * b, (i + 1) * b)
          : Float32Array.from({ length: a }, (_, d) => data[d * b + i] ?? 0),
      );
    }
  }
  return rows;
}

const best = (row: Float32Array): number => row.indexOf(Math.max(...row));

function collapse(rows: Float32Array[], blank: number): number[] {
  const path = rows.map(best);
  return path.filter((id, i) => id !== blank && id !== path[i - 1]);
}

async function greedy(joint: InferenceSession, rows: Float32Array[], blank: number): Promise<number[]> {
  const ids: number[] = [];
  let [a, b] = [floats([1, 1, 160]), floats([1, 1, 160])];
  for (const row of rows) {
    for (let symbols = 0; symbols < 10; symbols++) {
      const answer = await joint.run({
        encoder_outputs: floats([1, row.length, 1], Float32Array.from(row)),
        targets: ints(ids.at(-1) ?? blank, [1, 1]),
        target_length: ints(1, [1]),
        input_states_1: a,
        input_states_2: b,
      });
      const id = best(answer.outputs?.data as Float32Array);
      if (id === blank) break;
      ids.push(id);
      [a, b] = [answer.output_states_1 as typeof a, answer.output_states_2 as typeof b];
    }
  }
  return ids;
}
