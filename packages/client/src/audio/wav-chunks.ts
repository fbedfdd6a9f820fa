import { UnsupportedAudioError } from './error.ts';
import { CONVERT_IT, describeOther } from './not-wav.ts';

/** The first 12 bytes of a WAV file. */
export interface RiffHead {
  /** True for RF64 and BW64, which store their sizes in the chunk `ds64`. */
  isLong: boolean;
  riffBytes: number;
}

export interface ChunkHead {
  id: string;
  bytes: number;
}

/** Size in a header whose writer does not know the real size. */
export const UNKNOWN_SIZE = 0xffff_ffff;

/** Parses the first 12 bytes of a file. */
export function parseRiffHead(head: Uint8Array): RiffHead {
  const id = textAt(head, 0);
  if (!['RIFF', 'RF64', 'BW64'].includes(id) || textAt(head, 8) !== 'WAVE') {
    throw new UnsupportedAudioError(`this is ${describeOther(head)}: ${CONVERT_IT}`);
  }
  return { isLong: id !== 'RIFF', riffBytes: uint32(head, 4) };
}

/** Parses the 8 bytes before the body of a chunk. */
export function parseChunkHead(head: Uint8Array): ChunkHead {
  return { id: textAt(head, 0), bytes: uint32(head, 4) };
}

/** Returns the size of the audio from a `ds64` chunk. */
export function parseLongDataBytes(chunk: Uint8Array): number {
  return chunk.length < 16 ? UNKNOWN_SIZE : uint32(chunk, 8) + uint32(chunk, 12) * 2 ** 32;
}

/**
 * Returns the number of audio bytes. Infinity means up to the end of the file. A program that writes to a pipe cannot
 * fill in sizes later and leaves 0 or the largest value. A declared size of 0 therefore counts only if the size in the
 * RIFF header shows that the file continues after the start of the audio.
 */
export function audioBytes(declared: number, riff: RiffHead, longBytes: number | undefined, audioAt: number): number {
  if (declared === UNKNOWN_SIZE) return longBytes === undefined || longBytes === UNKNOWN_SIZE ? Infinity : longBytes;
  const isUnfinished = riff.riffBytes === UNKNOWN_SIZE || riff.riffBytes + 8 <= audioAt;
  return declared === 0 && isUnfinished ? Infinity : declared;
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
}
