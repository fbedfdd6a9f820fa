import type { Utterances } from '../recognition/utterances.ts';

/** Number of chunks that the sender may be ahead of the worker before reading from the sender is paused. */
const CHUNKS_AHEAD = 4;
/** Minimum chunk size, in samples, for the use of CHUNKS_AHEAD. Smaller chunks count as chunks of this size. */
const MIN_CHUNK_SAMPLES = 5120;
/** Number of unanswered flushes and resets at which reading from the sender is paused. */
const MAX_UNANSWERED = 32;

/** Returns whether the sender is so far ahead of the worker that reading from the sender must be paused. */
export function isTooFast({ all, outstanding }: Utterances, chunkSamples: number): boolean {
  return outstanding >= CHUNKS_AHEAD * Math.max(chunkSamples, MIN_CHUNK_SAMPLES) || all.length > MAX_UNANSWERED;
}
