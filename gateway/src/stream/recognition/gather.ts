import { hasChunkOf } from './utterance.ts';
import type { Utterance } from './utterance.ts';

/**
 * Amount of unsent audio that is sent immediately, even if it completes no chunk: two seconds. Larger messages would
 * hardly reduce the number of messages.
 */
const LARGE_SAMPLES = 32_000;

/** Sizes that a worker announces when it opens a stream. */
export interface ChunkSize {
  readonly chunkSamples: number;
  /**
   * Number of samples at the end of a chunk that the worker does not need to process the chunk, because no feature uses
   * them. Undefined if the worker is of an older version, which does not report it.
   */
  readonly earlySamples: number | undefined;
}

/**
 * Returns whether the worker can use the unsent audio of an utterance. A worker processes only whole chunks. The many
 * small frames of a chunk can therefore be sent as one message. Audio for which the worker owes an answer is never held
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
