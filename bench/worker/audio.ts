import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIO } from '@svc-asr/core';

/** A recording and its text. */
export interface Recording {
  readonly samples: Int16Array;
  readonly text: string;
}

/** The utterances of one stream of the benchmark, in order. */
export type Utterances = readonly Recording[];

const WAV_HEADER_BYTES = 44;

/**
 * Builds `count` streams from the recordings in a model's eval folder, with `parts` recordings each. Consecutive
 * streams start with different recordings.
 */
export function readStreams(folder: string, count: number, parts: number): Utterances[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.wav'));
  const recordings = names.map((name): Recording => {
    const bytes = readFileSync(join(folder, name)).subarray(WAV_HEADER_BYTES);
    const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readInt16LE(i * 2));
    return { samples, text: readFileSync(join(folder, name.replace(/wav$/, 'txt')), 'utf8').trim() };
  });
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: parts }, (_part, k) => recordings[(i + k) % recordings.length]).filter(
      (one) => one !== undefined,
    ),
  );
}

/** Returns the seconds of audio in all streams together. */
export const secondsOf = (streams: readonly Utterances[]): number =>
  streams.flat().reduce((sum, { samples }) => sum + samples.length, 0) / AUDIO.sampleRateHz;
