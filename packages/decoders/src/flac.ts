import { FLACDecoder } from '@wasm-audio-decoders/flac';
import CodecParser from 'codec-parser';
import type { CodecFrame } from 'codec-parser';
import { AudioFormatError } from '@svc-asr/client';
import type { ByteReader } from './byte-reader.ts';
import { parseStreamInfo, STREAM_INFO_BYTES } from './flac-info.ts';
import { mix, silently } from './mono.ts';
import type { MonoBlock } from './mono.ts';

/**
 * Size of the pieces that are passed to the parser. It is small, because with each piece, the parser copies all bytes
 * that it has not parsed yet.
 */
const STEP_BYTES = 16_384;
const BLOCK_HEAD_BYTES = 4;
/** Mark of the last metadata block, in the first byte of its head. */
const LAST_BLOCK = 0x80;

/**
 * Bytes that are passed to the parser after the end of the file: a valid frame header and padding. The parser returns a
 * frame only when the header of the next frame follows. The `flush` of the parser is not used. It would lose the last
 * frame of a file that ends with two short frames.
 */
const END = new Uint8Array(64);
END.set([0xff, 0xf8, 0x15, 0x08, 0x00, 0x40]);

/**
 * Decodes a FLAC file frame by frame. One frame has at most 2 MiB of decoded audio, however few bytes it takes in the
 * file.
 */
export async function* decodeFlac(reader: ByteReader): AsyncGenerator<MonoBlock> {
  const start = (await reader.read(STREAM_INFO_BYTES)).slice();
  const { sampleRateHz, bits, totalSamples } = parseStreamInfo(start);
  await skipMetadata(reader, start);
  const parser = new CodecParser<CodecFrame>('audio/flac', { enableFrameCRC32: false });
  const decoder = new FLACDecoder();
  await decoder.ready;
  const [largest, unit] = [2 ** (bits - 1) - 1, 2 ** (bits - 1)];
  // The decoder has divided the integer samples by the largest integer of this bit depth. `read` restores the integers
  // and divides them by the next power of two, as the WAV decoder does. With 32 bits, the difference is too small for a
  // float, so the values stay unchanged.
  const read = bits === 32 ? (value: number) => value : (value: number) => Math.round(value * largest) / unit;
  const decode = async (frame: Uint8Array) => {
    const { errors, channelData, samplesDecoded, ...format } = await silently(() => decoder.decodeFrames([frame]));
    if (errors[0] !== undefined) throw damaged(errors[0].message);
    if (samplesDecoded > 0 && (format.sampleRate !== sampleRateHz || format.bitDepth !== bits)) {
      throw damaged('a frame has another format than the header');
    }
    return { samples: mix(channelData, samplesDecoded, read), sampleRateHz };
  };
  // The decoder needs the header, because frames may refer to it for their format.
  await decode(asLastBlock(start));
  let [count, bytes, frameBytes] = [0, 0, 0];
  const onFrame = async ({ data }: CodecFrame) => {
    const block = await decode(data);
    count += block.samples.length;
    frameBytes += data.length;
    return block;
  };
  for await (const piece of reader.rest(STEP_BYTES)) {
    bytes += piece.length;
    for (const frame of framesOf(parser.parseChunk(piece))) yield await onFrame(frame);
  }
  for (const frame of framesOf(parser.parseChunk(END))) yield await onFrame(frame);
  // The parser skips damaged frames without an error, so the number of samples or bytes reveals the damage.
  if (totalSamples > 0 && count !== totalSamples) {
    throw damaged(`its header declares ${totalSamples} samples, and ${count} can be decoded`);
  }
  if (totalSamples === 0 && frameBytes !== bytes) throw damaged(`${bytes - frameBytes} bytes belong to no frame`);
}

/**
 * Returns the frames of the parser as an Iterable. The types of the parser declare only an Iterator, over which `for`
 * cannot loop.
 */
function framesOf(frames: Iterator<CodecFrame>): Iterable<CodecFrame> {
  return frames as IterableIterator<CodecFrame>;
}

/** Skips the metadata after the stream information: tags, pictures, seek tables. */
async function skipMetadata(reader: ByteReader, start: Uint8Array): Promise<void> {
  let type = start[BLOCK_HEAD_BYTES] ?? 0;
  while (type < LAST_BLOCK) {
    const head = await reader.read(BLOCK_HEAD_BYTES);
    const [first = 0, high = 0, middle = 0, low = 0] = head;
    if (head.length < BLOCK_HEAD_BYTES || !(await reader.skip(high * 65_536 + middle * 256 + low))) {
      throw damaged('it ends before its audio starts');
    }
    type = first;
  }
}

function asLastBlock(start: Uint8Array): Uint8Array {
  const block = start.slice();
  block[BLOCK_HEAD_BYTES] = LAST_BLOCK;
  return block;
}

function damaged(problem: string): AudioFormatError {
  return new AudioFormatError(`the FLAC file is damaged: ${problem}`);
}
