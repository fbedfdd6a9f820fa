import type { Utterances } from '../recognition/utterances.ts';

/** Number of chunks that a worker may be behind before the sender is slowed down. */
const CHUNKS_AHEAD = 4;
/** Smallest chunk, in samples, that counts for CHUNKS_AHEAD. */
const MIN_CHUNK_SAMPLES = 5120;
/** Number of unanswered flushes and resets before the sender is slowed down. */
const MAX_UNANSWERED = 32;

/** Returns whether the sender is so far ahead of the worker that it must be slowed down. */
export function isTooFast({ all, outstanding }: Utterances, chunkSamples: number): boolean {
  return outstanding >= CHUNKS_AHEAD * Math.max(chunkSamples, MIN_CHUNK_SAMPLES) || all.length > MAX_UNANSWERED;
}
