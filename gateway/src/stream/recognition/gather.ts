import { hasChunkOf } from './utterance.ts';
import type { Utterance } from './utterance.ts';

/**
 * Number of unsent samples that are sent immediately, even if they complete no chunk. They contain two seconds of
 * audio. Larger messages would hardly reduce the number of messages.
 */
const LARGE_SAMPLES = 32_000;

/** Sizes that a worker announces when it opens a stream. */
export interface ChunkSize {
  readonly chunkSamples: number;
  /**
   * Number of samples at the end of a chunk for which the worker does not wait, because no feature of the chunk uses
   * them. Undefined if the worker has an older version that does not report this number.
   */
  readonly earlySamples: number | undefined;
}

/**
 * Returns whether the worker can use the unsent audio of an utterance. A worker processes only whole chunks, so the
 * many small frames of a chunk can be sent as one message. Audio that the worker needs for an owed answer is never held
 * back.
 */
export function isUsable(
  { sent, samples, consumed }: Pick<Utterance, 'sent' | 'samples' | 'consumed'>,
  { chunkSamples, earlySamples }: ChunkSize,
): boolean {
  const chunksIn = (count: number) => Math.floor((count + (earlySamples ?? 0)) / chunkSamples);
  if (chunksIn(samples) > chunksIn(sent) || samples - sent >= LARGE_SAMPLES) return true;
  return earlySamples === undefined && hasChunkOf(samples - consumed, chunkSamples);
}
