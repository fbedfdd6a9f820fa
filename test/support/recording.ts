import { readFileSync } from 'node:fs';
import { MODEL_FOLDER } from './worker.ts';

/** PCM and text of a bundled Kikuyu recording (mono, 16 kHz, 16 bit). */
export function recording(name = 'ki_espeak_002'): { pcm: Buffer; text: string } {
  const wav = readFileSync(`${MODEL_FOLDER}/eval/${name}.wav`);
  const text = readFileSync(`${MODEL_FOLDER}/eval/${name}.txt`, 'utf8').trim();
  let at = 12;
  while (wav.toString('latin1', at, at + 4) !== 'data') at += 8 + wav.readUInt32LE(at + 4);
  return { pcm: wav.subarray(at + 8, at + 8 + wav.readUInt32LE(at + 4)), text };
}
