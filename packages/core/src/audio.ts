/** Format and limits of the audio of a native stream. Such a stream supports no other format. */
export const AUDIO = {
  encoding: 'pcm_s16le',
  sampleRateHz: 16_000,
  channels: 1,
  bytesPerSample: 2,
  /** Default attention context, `[left, right]` in encoder frames of 80 ms. */
  defaultContext: [56, 13],
  maxFrameBytes: 65_536,
} as const;

/** Samples in one millisecond of audio. */
export const SAMPLES_PER_MS = AUDIO.sampleRateHz / 1000;

/** Duration of an encoder frame. */
export const ENCODER_FRAME_MS = 80;

/** Maximum audio of one session, in seconds. The public API fixes this value, so it is not a setting. */
export const MAX_AUDIO_SECONDS = 300;

// The ledger repeats the next two functions in Lua (scripts/include/billing.lua). Change both together.

/** Returns the duration of samples in milliseconds, rounded up. */
export function audioMs(samples: number): number {
  return Math.ceil(samples / SAMPLES_PER_MS);
}

/** Returns the charge for accepted samples in milliseconds: their duration, rounded up to a whole second. */
export function billableMs(samples: number): number {
  return Math.ceil(samples / AUDIO.sampleRateHz) * 1000;
}

/** Returns the number of whole samples in a duration in seconds. */
export function samplesOf(seconds: number): number {
  return Math.floor(seconds * AUDIO.sampleRateHz);
}

/** Returns the duration of one chunk: one encoder frame, and one more for each frame of right context. */
export function chunkMs(rightContext: number): number {
  return (rightContext + 1) * ENCODER_FRAME_MS;
}

/** Returns the number of samples of one chunk. */
export function chunkSamples(rightContext: number): number {
  return chunkMs(rightContext) * SAMPLES_PER_MS;
}
