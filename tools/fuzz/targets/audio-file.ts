import { AudioFormatError, decodeAudio, UnsupportedAudioError } from '@svc-asr/decoders';
import { checksum } from '../../../packages/decoders/src/ogg.ts';
import { buildFlac } from '../../../test/support/flac.ts';
import { buildOgg, buildOpusBomb, buildOpusHead } from '../../../test/support/ogg.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

/** Maximum number of samples in one piece: a FLAC block of 65,535 samples at 1000 Hz, resampled to 16 kHz. */
const MAX_PIECE_SAMPLES = 65_536 * 16;
/** Samples after which the rest of a file is not decoded. A short file can contain hours of silence. */
const ENOUGH_SAMPLES = 2_000_000;
const PAGE_HEAD_BYTES = 27;
const CHECKSUM_AT = 22;

/**
 * Writes valid checksums into the pages of an Ogg file. Otherwise almost every changed file would be refused for its
 * checksums.
 */
function repair(file: Buffer): void {
  for (let at = file.indexOf('OggS'); at !== -1; at = file.indexOf('OggS', at + 1)) {
    const segments = file.subarray(at + PAGE_HEAD_BYTES, at + PAGE_HEAD_BYTES + (file[at + PAGE_HEAD_BYTES - 1] ?? 0));
    const bytes = segments.reduce((sum, segment) => sum + segment, PAGE_HEAD_BYTES + segments.length);
    const page = file.subarray(at, at + bytes);
    if (page.length === bytes) page.writeUInt32LE(checksum(page), CHECKSUM_AT);
  }
}

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
    buildOgg([[buildOpusHead(2, 312)], [Buffer.from('OpusTags')], [Buffer.from([0x19])]], [0, 0, 5760]),
    buildOpusBomb(1),
  ].map((file) => Buffer.concat([Buffer.from([148]), file])),
  dictionary: ['RIFF', 'RF64', 'WAVE', 'fmt ', 'data', 'ds64', 'LIST', 'OggS', 'OpusHead', 'fLaC', 'ID3'],
  maxBytes: 4096,
  run: async (input) => {
    const [mode = 0] = input;
    const file = input.subarray(1);
    if (mode >= 128) repair(file);
    let samples = 0;
    try {
      for await (const { length } of decodeAudio(split(file, 1 + (mode % 128)))) {
        check(length <= MAX_PIECE_SAMPLES, `a piece has ${length} samples`);
        samples += length;
        if (samples > ENOUGH_SAMPLES) return;
      }
    } catch (error) {
      if (!(error instanceof AudioFormatError) && !(error instanceof UnsupportedAudioError)) throw error;
    }
  },
};
