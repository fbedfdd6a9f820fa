import { AudioFormatError, decodeAudio, UnsupportedAudioError } from '@svc-asr/decoders';
import { buildFlac } from '../../../test/support/flac.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

/** Frames of a compressed file can be very short, for example silence. The gateway limits the decoded audio. */
const MAX_SAMPLES = 2_000_000;

async function* split(file: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += pieceBytes) yield await Promise.resolve(file.subarray(at, at + pieceBytes));
}

function wav(format: number, bits: number, samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE((8000 * bits) / 8, 28);
  head.writeUInt16LE(bits / 8, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

export const target: FuzzTarget = {
  property: 'decodeAudio throws only errors about the file, ends, and returns bounded audio.',
  seeds: [
    wav(1, 16, Buffer.alloc(64, 5)),
    wav(7, 8, Buffer.alloc(32, 5)),
    wav(3, 32, Buffer.alloc(64, 5)),
    buildFlac(Buffer.alloc(64, 5)),
  ].map((file) => Buffer.concat([Buffer.from([20]), file])),
  dictionary: ['RIFF', 'RF64', 'WAVE', 'fmt ', 'data', 'ds64', 'LIST', 'OggS', 'OpusHead', 'fLaC', 'ID3'],
  maxBytes: 4096,
  run: async (input) => {
    let samples = 0;
    try {
      for await (const piece of decodeAudio(split(input.subarray(1), 1 + (input[0] ?? 0)))) {
        samples += piece.length;
        check(samples <= MAX_SAMPLES, `${input.length} bytes became more than ${MAX_SAMPLES} samples`);
      }
    } catch (error) {
      if (!(error instanceof AudioFormatError) && !(error instanceof UnsupportedAudioError)) throw error;
    }
  },
};
