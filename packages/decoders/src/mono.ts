/** Decoded audio of one channel. All blocks of a file have the same rate. */
export interface MonoBlock {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/** Mixes channels. The mean of the channels cannot clip. `read` converts a sample to a value in [-1, 1]. */
export function mix(
  channels: readonly Float32Array[],
  length: number,
  read: (sample: number) => number,
): Float32Array<ArrayBuffer> {
  const mono = new Float32Array(length);
  for (let at = 0; at < length; at++) {
    let sum = 0;
    for (const channel of channels) sum += read(channel[at] ?? 0);
    mono[at] = sum / channels.length;
  }
  return mono;
}

/**
 * Calls a decoder and suppresses its log. Decoders log each error to the console in addition to returning it. Works
 * only for synchronous functions.
 */
export function silently<T>(decode: () => T): T {
  const log = console as { error: unknown };
  const { error } = log;
  log.error = () => undefined;
  try {
    return decode();
  } finally {
    log.error = error;
  }
}
