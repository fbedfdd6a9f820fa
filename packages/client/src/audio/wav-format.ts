import { AudioFormatError, UnsupportedAudioError } from './error.ts';
import { CONVERT_IT } from './not-wav.ts';

export type SampleEncoding = 'unsigned8' | 'int16' | 'int24' | 'int32' | 'float32' | 'float64' | 'alaw' | 'mulaw';

/** Encoding of the samples in a WAV file. */
export interface WavFormat {
  encoding: SampleEncoding;
  channels: number;
  sampleRateHz: number;
  /** Number of bytes of a frame, which consists of one sample of each channel. */
  bytesPerFrame: number;
}

const [PCM, FLOAT, ALAW, MULAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe];
const OTHER_TAGS: Readonly<Record<number, string>> = {
  0x02: 'Microsoft ADPCM',
  0x11: 'IMA ADPCM',
  0x31: 'GSM 6.10',
  0x50: 'MPEG',
  0x55: 'MP3',
  0xff: 'AAC',
};
const INTEGERS = [undefined, 'unsigned8', 'int16', 'int24', 'int32'] as const;
/** Last bytes of the subformat GUID that represents a plain format tag in WAVE_FORMAT_EXTENSIBLE. */
const SUBFORMAT_TAIL = '000000001000800000aa00389b71';

const MAX_CHANNELS = 256;
const MIN_RATE_HZ = 100;
const MAX_RATE_HZ = 1_536_000;

/** Parses the body of a `fmt ` chunk. */
export function parseWavFormat(chunk: Uint8Array): WavFormat {
  if (chunk.length < 16) throw new AudioFormatError('the WAV header is corrupt: its format has fewer than 16 bytes');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const channels = view.getUint16(2, true);
  const sampleRateHz = view.getUint32(4, true);
  if (channels < 1 || channels > MAX_CHANNELS) {
    throw new AudioFormatError(`the WAV header is corrupt: it declares ${channels} channels`);
  }
  if (sampleRateHz < MIN_RATE_HZ || sampleRateHz > MAX_RATE_HZ) {
    throw new AudioFormatError(`the WAV header is corrupt: it declares ${sampleRateHz} samples per second`);
  }
  const tag = tagOf(chunk, view);
  const bits = view.getUint16(14, true);
  const width = widthOf(view.getUint16(12, true), channels, bits);
  const encoding = encodingOf(tag, width);
  if (encoding === undefined) throw new UnsupportedAudioError(`${describe(tag, bits)} is not supported: ${CONVERT_IT}`);
  return { encoding, channels, sampleRateHz, bytesPerFrame: width * channels };
}

function tagOf(chunk: Uint8Array, view: DataView): number {
  const tag = view.getUint16(0, true);
  if (tag !== EXTENSIBLE || chunk.length < 40) return tag;
  const tail = Array.from(chunk.subarray(26, 40), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return tail === SUBFORMAT_TAIL ? view.getUint16(24, true) : tag;
}

/**
 * Returns the number of bytes that one sample occupies. Samples of 12 or 20 bits are stored in the next larger whole
 * number of bytes, or in more.
 */
function widthOf(bytesPerFrame: number, channels: number, bits: number): number {
  const least = Math.ceil(bits / 8);
  const width = bytesPerFrame / channels;
  return Number.isInteger(width) && width >= least && width <= 8 ? width : least;
}

function encodingOf(tag: number, width: number): SampleEncoding | undefined {
  if (tag === PCM) return INTEGERS[width];
  if (tag === FLOAT) return width === 4 ? 'float32' : width === 8 ? 'float64' : undefined;
  if (tag === ALAW && width === 1) return 'alaw';
  if (tag === MULAW && width === 1) return 'mulaw';
  return undefined;
}

function describe(tag: number, bits: number): string {
  if (tag === PCM || tag === FLOAT) return `WAV with samples of ${bits} bits`;
  const name = OTHER_TAGS[tag] ?? `format 0x${tag.toString(16).padStart(4, '0')}`;
  return `WAV with ${name} audio`;
}
