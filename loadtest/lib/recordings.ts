import { plan } from './plan-file.ts';
import { readSamples } from './wav.ts';

export interface Speech {
  readonly pcm: ArrayBuffer;
  readonly text: string;
}

/** Number of recordings of each virtual user. It is small, because k6 keeps a copy of the recordings for each user. */
const RECORDINGS_PER_USER = 2;

/**
 * Recordings of this virtual user. k6 later opens only files that were opened when it loaded the script for the first
 * time, as user 0. User 0 therefore opens the files of all recordings.
 */
export const speeches: readonly Speech[] = plan.recordings
  .filter(
    (_, at) => __VU === 0 || (at - __VU + __VU * plan.recordings.length) % plan.recordings.length < RECORDINGS_PER_USER,
  )
  .map(({ file, text }) => ({ pcm: readSamples(open(file, 'b')), text }));
