/** A worker may take a chunk this long before its last sample, because features do not reach to the very end. */
const EARLY_SAMPLES = 1600;
/** 20 ms: less is not worth a message of its own. */
const SMALL_SAMPLES = 320;
/** Two seconds: nothing is gained by gathering more. */
const LARGE_SAMPLES = 32_000;

/** `now`: the worker can use it. `soon`: when nothing more comes within a moment. `later`: it may wait for what follows. */
export type Urgency = 'now' | 'soon' | 'later';

/**
 * How urgently the worker needs what was not sent yet of an utterance. It computes by the chunk and can do nothing with a
 * part of one, so that the many small messages of a chunk may go as one.
 */
export function urgencyOf({ sent, samples }: { sent: number; samples: number }, chunkSamples: number): Urgency {
  const waiting = samples - sent;
  const completes = Math.floor(samples / chunkSamples) > Math.floor(sent / chunkSamples);
  if (completes || waiting >= LARGE_SAMPLES) return 'now';
  if (chunkSamples - (samples % chunkSamples) > EARLY_SAMPLES) return 'later';
  return waiting >= SMALL_SAMPLES ? 'now' : 'soon';
}
