import { AudioFormatError } from '@svc-asr/client';
import { UnsupportedAudioError } from '@svc-asr/client/internal';

/** Properties of the audio, as a FLAC file declares them. */
export interface StreamInfo {
  readonly sampleRateHz: number;
  readonly bits: number;
  /** 0 if the writer did not know the number. */
  readonly totalSamples: number;
}

/** Size of the mark `fLaC` and the first metadata block. */
export const STREAM_INFO_BYTES = 42;
const FORMAT_AT = 18;

/** Bits per sample that the decoder scales correctly. */
const DEPTHS = [8, 16, 24, 32];
const MIN_RATE_HZ = 1000;
const MAX_RATE_HZ = 192_000;

/** Parses the start of a FLAC file, as RFC 9639 defines it. */
export function parseStreamInfo(start: Uint8Array): StreamInfo {
  if (start.length < STREAM_INFO_BYTES || ((start[4] ?? 0) & 0x7f) !== 0) {
    throw new AudioFormatError('the FLAC file is damaged: its header is not complete');
  }
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  const format = view.getUint32(FORMAT_AT);
  const sampleRateHz = format >>> 12;
  const bits = ((format >>> 4) & 0x1f) + 1;
  if (!DEPTHS.includes(bits) || sampleRateHz < MIN_RATE_HZ || sampleRateHz > MAX_RATE_HZ) {
    throw new UnsupportedAudioError(
      `FLAC with ${bits} bits and ${sampleRateHz} samples per second is not supported: convert it to 16 bits and 16,000 Hz`,
    );
  }
  return { sampleRateHz, bits, totalSamples: (format & 0xf) * 2 ** 32 + view.getUint32(FORMAT_AT + 4) };
}
