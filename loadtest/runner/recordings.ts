import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Recording } from '../lib/plan.ts';
import { SAMPLE_RATE_HZ, readSamples } from '../lib/wav.ts';
import { root } from '../../tools/launch/terminal.mjs';

const KIKUYU = 'svc-asr-kikuyu-v1';

export interface Recordings {
  readonly files: readonly Recording[];
  readonly longestSeconds: number;
}

/** Finds the recordings and checks their format. Throws if there are none. */
export function findRecordings(configured: string, model: string): Recordings {
  const bundled = [model, KIKUYU].map((name) => join(root, 'worker', 'models', name, 'eval'));
  const folder =
    configured === ''
      ? (bundled.find((path) => existsSync(path)) ?? '')
      : resolve(process.env.INIT_CWD ?? root, configured);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.wav')) : [];
  if (names.length === 0) throw new Error(`no .wav files in ${folder}. Set RECORDINGS to a folder with recordings.`);
  let longest = 0;
  const files = names.sort().map((name) => {
    const file = join(folder, name);
    const { buffer, byteOffset, byteLength } = readFileSync(file);
    const speech = readAudio(file, buffer.slice(byteOffset, byteOffset + byteLength));
    longest = Math.max(longest, speech.byteLength / 2);
    const transcript = file.replace(/\.wav$/, '.txt');
    return { file, text: existsSync(transcript) ? readFileSync(transcript, 'utf8').trim() : '' };
  });
  return { files, longestSeconds: longest / SAMPLE_RATE_HZ };
}

function readAudio(file: string, content: ArrayBuffer): ArrayBuffer {
  try {
    return readSamples(content);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
