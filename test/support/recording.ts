import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MODEL } from './gateway.ts';

/** A recording (mono, 16 kHz, 16 bit) with its text. */
export interface Recording {
  readonly pcm: Buffer;
  readonly text: string;
}

/** Returns the folder of a bundled model. */
export function modelFolder(model: string): string {
  return fileURLToPath(new URL(`../../worker/models/${model}`, import.meta.url));
}

/** Returns one of the bundled recordings that a model was not trained on. */
export function recording(name = 'ki_espeak_002', model = MODEL): Recording {
  const wav = readFileSync(`${modelFolder(model)}/eval/${name}.wav`);
  const text = readFileSync(`${modelFolder(model)}/eval/${name}.txt`, 'utf8').trim();
  let at = 12;
  while (wav.toString('latin1', at, at + 4) !== 'data') at += 8 + wav.readUInt32LE(at + 4);
  return { pcm: wav.subarray(at + 8, at + 8 + wav.readUInt32LE(at + 4)), text };
}

/** Returns all bundled recordings of a model. */
export function recordings(model: string): Recording[] {
  return readdirSync(`${modelFolder(model)}/eval`)
    .filter((name) => name.endsWith('.wav'))
    .sort()
    .map((name) => recording(name.slice(0, -'.wav'.length), model));
}
