import { createReadStream, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIO } from '@svc-asr/core';
import { decodeAudio } from '@svc-asr/decoders';
import { modelFolder, recording } from '../../test/support/recording.ts';
import { encodeFiles } from './audio-tools.ts';

/** Model with recordings that it was not trained on. */
export interface RecordedModel {
  readonly id: string;
  readonly language: string;
  readonly recordings: readonly RecordedFile[];
}

/** An audio file, with its decoded audio (mono, 16 kHz, 16 bit). */
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
      return { path: `${folder}/${name}`, pcm, seconds: secondsOf(pcm) };
    });
    return { id, language, recordings };
  });
}

/** Encodes the recordings of a model. The files are in a folder below `folder`. */
export async function encodeRecordings(
  { id, language, recordings }: RecordedModel,
  format: 'flac' | 'opus',
  folder: string,
): Promise<RecordedModel> {
  const target = join(folder, `${id}-${format}`);
  mkdirSync(target, { recursive: true });
  const files = await encodeFiles(
    format,
    target,
    recordings.map(({ path }) => path),
  );
  const encoded: RecordedFile[] = [];
  for (const path of files) {
    const pcm = await decodeFile(path);
    encoded.push({ path, pcm, seconds: secondsOf(pcm) });
  }
  return { id, language, recordings: encoded };
}

/** Decodes a file as the service does. */
export async function decodeFile(path: string): Promise<Buffer> {
  const blocks: Int16Array[] = [];
  for await (const block of decodeAudio(createReadStream(path))) blocks.push(block);
  return Buffer.concat(blocks.map((pcm) => Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)));
}

function secondsOf(pcm: Buffer): number {
  return pcm.length / AUDIO.bytesPerSample / AUDIO.sampleRateHz;
}
