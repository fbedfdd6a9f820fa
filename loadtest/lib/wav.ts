/** Sample rate of the service. It must equal AUDIO.sampleRateHz of packages/core, which a test checks. */
export const SAMPLE_RATE_HZ = 16_000;

/** Format of a WAV file and position of its samples. */
export interface Wav {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly bitsPerSample: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Finds the samples of a WAV file. Throws if the file is not a WAV file or has no `data` chunk. */
export function parseWav(buffer: ArrayBuffer): Wav {
  const view = new DataView(buffer);
  const tag = (at: number) => [0, 1, 2, 3].map((i) => String.fromCharCode(view.getUint8(at + i))).join('');
  if (view.byteLength < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') throw new Error('not a WAV file');
  let format = { channels: 0, sampleRateHz: 0, bitsPerSample: 0 };
  for (let at = 12; at + 8 <= view.byteLength;) {
    const size = view.getUint32(at + 4, true);
    if (tag(at) === 'fmt ') {
      format = {
        channels: view.getUint16(at + 10, true),
        sampleRateHz: view.getUint32(at + 12, true),
        bitsPerSample: view.getUint16(at + 22, true),
      };
    } else if (tag(at) === 'data') {
      return { ...format, offset: at + 8, bytes: Math.min(size, view.byteLength - at - 8) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('WAV file without audio');
}

/** Returns the samples of a recording in the format that the service accepts. Throws for other formats. */
export function readSamples(buffer: ArrayBuffer): ArrayBuffer {
  const { channels, sampleRateHz, bitsPerSample, offset, bytes } = parseWav(buffer);
  if (channels !== 1 || sampleRateHz !== SAMPLE_RATE_HZ || bitsPerSample !== 16) {
    throw new Error(
      `a recording must be mono, ${SAMPLE_RATE_HZ} Hz, 16 bit, not ${channels} x ${sampleRateHz} Hz, ${bitsPerSample} bit`,
    );
  }
  return buffer.slice(offset, offset + bytes - (bytes % 2));
}
