import { plan } from './plan-file.ts';
import { readSamples } from './wav.ts';

export interface Speech {
  readonly pcm: ArrayBuffer;
  readonly text: string;
}

/** Recordings per virtual user. k6 keeps a copy for each user. */
const RECORDINGS_PER_USER = 2;

/**
 * Recordings of this virtual user. k6 opens only files that were opened while it loaded the script first, as user 0.
 * Therefore user 0 reads all of them.
 */
export const speeches: readonly Speech[] = plan.recordings
  .filter(
    (_, at) => __VU === 0 || (at - __VU + __VU * plan.recordings.length) % plan.recordings.length < RECORDINGS_PER_USER,
  )
  .map(({ file, text }) => ({ pcm: readSamples(open(file, 'b')), text }));
