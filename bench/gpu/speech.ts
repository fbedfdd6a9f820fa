import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/launch/terminal.mjs';

/** A recording with the text that was spoken. */
export interface Recording {
  readonly name: string;
  readonly samples: Int16Array;
  readonly text: string;
}

const WAV_HEADER_BYTES = 44;
const KIKUYU = join(root, 'worker/models/svc-asr-kikuyu-v1');

/** Reads the recordings of a model folder. A model without recordings is measured with those of the Kikuyu model. */
export function readRecordings(modelDir: string): Recording[] {
  const folder = [modelDir, KIKUYU].map((path) => join(path, 'eval')).find((path) => existsSync(path)) ?? '';
  return readdirSync(folder)
    .filter((name) => name.endsWith('.wav'))
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name)).subarray(WAV_HEADER_BYTES);
      const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readInt16LE(i * 2));
      return { name, samples, text: readFileSync(join(folder, name.replace(/wav$/, 'txt')), 'utf8').trim() };
    });
}

/** Joins recordings into one piece of speech. Streams start at different positions in it. */
export function joinSpeech(recordings: readonly Recording[]): Int16Array {
  const speech = new Int16Array(recordings.reduce((sum, { samples }) => sum + samples.length, 0));
  let at = 0;
  for (const { samples } of recordings) {
    speech.set(samples, at);
    at += samples.length;
  }
  return speech;
}
