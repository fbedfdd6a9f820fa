import { AudioFormatError } from './error.ts';
import { CONVERT_IT, describeOther } from './not-wav.ts';

/** What the file of a WAV says of itself before its chunks. */
export interface RiffHead {
  /** RF64 and BW64 keep their sizes in a chunk of their own. */
  isLong: boolean;
  riffBytes: number;
}

export interface ChunkHead {
  id: string;
  bytes: number;
}

/** A size that a writer leaves which does not know it yet. */
export const UNKNOWN_SIZE = 0xffff_ffff;

/** Reads the first 12 bytes. */
export function parseRiffHead(head: Uint8Array): RiffHead {
  const id = textAt(head, 0);
  if (!['RIFF', 'RF64', 'BW64'].includes(id) || textAt(head, 8) !== 'WAVE') {
    throw new AudioFormatError(`this is ${describeOther(head)}: ${CONVERT_IT}`);
  }
  return { isLong: id !== 'RIFF', riffBytes: uint32(head, 4) };
}

/** Reads the 8 bytes before a chunk. */
export function parseChunkHead(head: Uint8Array): ChunkHead {
  return { id: textAt(head, 0), bytes: uint32(head, 4) };
}

/** The size of the audio that a `ds64` chunk gives. */
export function parseLongDataBytes(chunk: Uint8Array): number {
  return chunk.length < 16 ? UNKNOWN_SIZE : uint32(chunk, 8) + uint32(chunk, 12) * 2 ** 32;
}

/**
 * How many bytes of audio follow; Infinity: until the end of the file. A writer to a pipe cannot come back to fill in
 * sizes: it leaves 0 or the largest there is. A real 0 stands in a file whose whole size covers what is there.
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
