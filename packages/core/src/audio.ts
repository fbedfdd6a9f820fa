/** The one audio format of the interface. */
export const AUDIO = {
  encoding: 'pcm_s16le',
  sampleRateHz: 16_000,
  channels: 1,
  bytesPerSample: 2,
  /** Attention context of the models, in encoder frames of 80 ms: left, right. */
  defaultContext: [56, 13],
  maxFrameBytes: 65_536,
} as const;

/** The longest audio of one session, fixed by the interface. */
export const MAX_AUDIO_SECONDS = 300;

/** Accepted audio in milliseconds, rounded up. */
export function audioMs(samples: number): number {
  return Math.ceil((samples * 1000) / AUDIO.sampleRateHz);
}

/** What accepted audio costs in milliseconds: the next whole second. */
export function billableMs(samples: number): number {
  return Math.ceil(samples / AUDIO.sampleRateHz) * 1000;
}

/** Samples that a number of seconds holds. */
export function samplesOf(seconds: number): number {
  return Math.floor(seconds * AUDIO.sampleRateHz);
}

/** Samples of one chunk at a right context: the frame itself and the look-ahead, 80 ms each. */
export function chunkSamples(rightContext: number): number {
  return (rightContext + 1) * 1280;
}
