import { hasChunkOf } from './utterance.ts';
import type { Utterance } from './utterance.ts';

/** Largest useful message: two seconds of audio. */
const LARGE_SAMPLES = 32_000;

/** Sizes that a worker announces when it opens a stream. */
export interface ChunkSize {
  readonly chunkSamples: number;
  /**
   * A worker processes a chunk this many samples before its end, because no feature uses its last samples.
   * Undefined if the worker is of an older version, which does not announce it.
   */
  readonly earlySamples: number | undefined;
}

/**
 * Returns whether the worker can use the unsent audio of an utterance. It processes whole chunks only. The many small
 * frames of a chunk can therefore be sent as one message. Audio for which the worker owes an answer is never held back.
 */
export function isUsable(
  { sent, samples, consumed }: Pick<Utterance, 'sent' | 'samples' | 'consumed'>,
  { chunkSamples, earlySamples }: ChunkSize,
): boolean {
  const chunksIn = (count: number) => Math.floor((count + (earlySamples ?? 0)) / chunkSamples);
  if (chunksIn(samples) > chunksIn(sent) || samples - sent >= LARGE_SAMPLES) return true;
  return earlySamples === undefined && hasChunkOf(samples - consumed, chunkSamples);
}
