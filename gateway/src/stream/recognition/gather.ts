/** Largest useful message: two seconds of audio. */
const LARGE_SAMPLES = 32_000;

/** Sizes that a worker announces when it opens a stream. */
export interface ChunkSize {
  readonly chunkSamples: number;
  /** A worker processes a chunk this many samples before its end, because no feature uses its last samples. */
  readonly earlySamples: number;
}

/**
 * Returns whether the worker can use the unsent audio of an utterance. It processes whole chunks only. The many small
 * frames of a chunk can therefore be sent as one message.
 */
export function isUsable(
  { sent, samples }: { sent: number; samples: number },
  { chunkSamples, earlySamples }: ChunkSize,
): boolean {
  const chunksIn = (count: number) => Math.floor((count + earlySamples) / chunkSamples);
  return chunksIn(samples) > chunksIn(sent) || samples - sent >= LARGE_SAMPLES;
}
