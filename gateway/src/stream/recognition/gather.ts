/** A worker may process a chunk this long before its last sample, because features do not reach to the very end. */
const EARLY_SAMPLES = 1600;
/** Smallest amount of audio that is sent as its own message: 20 ms. */
const SMALL_SAMPLES = 320;
/** Largest useful message: two seconds of audio. */
const LARGE_SAMPLES = 32_000;

/**
 * `now`: the worker can use the audio. `soon`: send it if no more audio arrives within a moment. `later`: it can be
 * sent together with later audio.
 */
export type Urgency = 'now' | 'soon' | 'later';

/**
 * Returns how urgently the worker needs the unsent audio of an utterance. The worker processes whole chunks only. The
 * many small frames of a chunk can therefore be sent as one message.
 */
export function urgencyOf({ sent, samples }: { sent: number; samples: number }, chunkSamples: number): Urgency {
  const unsent = samples - sent;
  const completes = Math.floor(samples / chunkSamples) > Math.floor(sent / chunkSamples);
  if (completes || unsent >= LARGE_SAMPLES) return 'now';
  if (chunkSamples - (samples % chunkSamples) > EARLY_SAMPLES) return 'later';
  return unsent >= SMALL_SAMPLES ? 'now' : 'soon';
}
