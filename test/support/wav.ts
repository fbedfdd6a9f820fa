import type { SampleEncoding } from '@svc-asr/client';

export interface WavOptions {
  encoding?: SampleEncoding;
  channels?: number;
  sampleRateHz?: number;
  /** Writes WAVE_FORMAT_EXTENSIBLE. */
  isExtensible?: boolean;
  /**
   * Chunks that the file contains three times: before the format, between the format and the audio, and after the
   * audio.
   */
  extraChunks?: readonly (readonly [id: string, body: Uint8Array])[];
  /**
   * Sizes in the header. The defaults are the correct sizes. Tests also set wrong sizes, because some programs write
   * them.
   */
  riffBytes?: number;
  dataBytes?: number;
}

const TAGS: Record<SampleEncoding, readonly [tag: number, bytes: number]> = {
  unsigned8: [1, 1],
  int16: [1, 2],
  int24: [1, 3],
  int32: [1, 4],
  float32: [3, 4],
  float64: [3, 8],
  alaw: [6, 1],
  mulaw: [7, 1],
};

/** Builds a WAV file from encoded audio. */
export function wrapWav(audio: Uint8Array, options: WavOptions = {}): Uint8Array {
  const { encoding = 'int16', channels = 1, sampleRateHz = 16_000, isExtensible = false, extraChunks = [] } = options;
  const [tag, width] = TAGS[encoding];
  const format = Buffer.alloc(isExtensible ? 40 : 16);
  format.writeUInt16LE(isExtensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRateHz, 4);
  format.writeUInt32LE(sampleRateHz * channels * width, 8);
  format.writeUInt16LE(channels * width, 12);
  format.writeUInt16LE(width * 8, 14);
  if (isExtensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(width * 8, 18);
    format.writeUInt16LE(tag, 24);
    format.set(Buffer.from('000000001000800000aa00389b71', 'hex'), 26);
  }
  const extras = extraChunks.map(([id, body]) => chunk(id, body));
  const body = [...extras, chunk('fmt ', format), ...extras, chunk('data', audio, options.dataBytes), ...extras];
  const size = body.reduce((sum, { length }) => sum + length, 4);
  const head = Buffer.from('RIFF....WAVE', 'latin1');
  head.writeUInt32LE(options.riffBytes ?? size, 4);
  return Uint8Array.from(Buffer.concat([head, ...body]));
}

function chunk(id: string, body: Uint8Array, bytes: number = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(bytes, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** Encodes samples in [-1, 1]. Does not support A-law and mu-law. */
export function encodeSamples(samples: readonly number[], encoding: SampleEncoding): Uint8Array {
  const width = TAGS[encoding][1];
  const bytes = Buffer.alloc(samples.length * width);
  const clamp = (value: number, bits: number) =>
    Math.max(-(2 ** (bits - 1)), Math.min(2 ** (bits - 1) - 1, Math.round(value * 2 ** (bits - 1))));
  samples.forEach((sample, at) => {
    if (encoding === 'float32') bytes.writeFloatLE(sample, at * 4);
    else if (encoding === 'float64') bytes.writeDoubleLE(sample, at * 8);
    else if (encoding === 'unsigned8') bytes.writeUInt8(clamp(sample, 8) + 128, at);
    else bytes.writeIntLE(clamp(sample, width * 8), at * width, width);
  });
  return Uint8Array.from(bytes);
}

/** Returns samples of a sine. */
export function tone(hz: number, sampleRateHz: number, samples: number, amplitude = 0.5): number[] {
  return Array.from({ length: samples }, (_, n) => amplitude * Math.sin((2 * Math.PI * hz * n) / sampleRateHz));
}
