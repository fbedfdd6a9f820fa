import { readdirSync } from 'node:fs';
import { AUDIO } from '@svc-asr/core';
import { modelFolder, recording } from '../../test/support/recording.ts';

/** Model with recordings that it was not trained on. */
export interface RecordedModel {
  readonly id: string;
  readonly language: string;
  readonly recordings: readonly RecordedFile[];
}

/** A WAV file (mono, 16 kHz, 16 bit). */
export interface RecordedFile {
  readonly path: string;
  readonly pcm: Buffer;
  readonly seconds: number;
}

const LANGUAGES = { 'svc-asr-kikuyu-v1': 'ki', 'svc-asr-dholuo-v1': 'luo' };

/** Returns the bundled models with their recordings. */
export function readRecordings(): RecordedModel[] {
  return Object.entries(LANGUAGES).map(([id, language]) => {
    const folder = `${modelFolder(id)}/eval`;
    const names = readdirSync(folder).filter((name) => name.endsWith('.wav'));
    const recordings = names.sort().map((name) => {
      const { pcm } = recording(name.slice(0, -'.wav'.length), id);
      return { path: `${folder}/${name}`, pcm, seconds: pcm.length / AUDIO.bytesPerSample / AUDIO.sampleRateHz };
    });
    return { id, language, recordings };
  });
}
