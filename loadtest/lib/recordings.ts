import { plan } from './plan-file.ts';
import { speechOf } from './wav.ts';

export interface Speech {
  readonly pcm: ArrayBuffer;
  readonly text: string;
}

/** A virtual user has this many recordings: k6 keeps a copy for each. */
const OWN = 2;

/**
 * The recordings of this virtual user. k6 allows only files that it saw when it looked at the script first, as number 0,
 * so that one reads them all.
 */
export const speeches: readonly Speech[] = plan.recordings
  .filter((_, at) => __VU === 0 || (at - __VU + __VU * plan.recordings.length) % plan.recordings.length < OWN)
  .map(({ file, text }) => ({ pcm: speechOf(open(file, 'b')), text }));
