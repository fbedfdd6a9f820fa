import fc from 'fast-check';
import { encodeSamples, wrapWav } from '../../../../test/support/wav.ts';
import type { WavOptions } from '../../../../test/support/wav.ts';
import { AudioFormatError } from './error.ts';
import { WavReader } from './wav-reader.ts';

/** Reads a file through one buffer, which each piece overwrites. The sizes of the pieces repeat the list `sizes`. */
function read(file: Uint8Array, sizes: readonly number[] = [file.length + 1]) {
  const reader = new WavReader();
  const audio: number[] = [];
  const buffer = new Uint8Array(Math.max(...sizes));
  for (let at = 0, turn = 0; at < file.length; turn++) {
    const piece = file.subarray(at, at + sizes[turn % sizes.length]!);
    buffer.set(piece);
    audio.push(...reader.push(buffer.subarray(0, piece.length)));
    buffer.fill(0xee);
    at += piece.length;
  }
  return { audio, layout: reader.layout, missingBytes: reader.end() };
}

const AUDIO = Uint8Array.from({ length: 24 }, (_, n) => n + 1);
const wav = (options?: WavOptions) => wrapWav(AUDIO, options);

test('WavReader finds format and audio of a plain file', () => {
  expect(read(wav({ channels: 2, sampleRateHz: 44_100 }))).toEqual({
    audio: [...AUDIO],
    layout: {
      format: { encoding: 'int16', channels: 2, sampleRateHz: 44_100, bytesPerFrame: 4 },
      audioAt: 44,
      declaredBytes: 24,
    },
    missingBytes: 0,
  });
});

test('WavReader returns the format and the audio of a file, whatever the sizes of the pieces that it reads, and whatever extra chunks the file contains', () => {
  const chunk = fc.tuple(fc.constantFrom('LIST', 'JUNK', 'fact', 'bext', 'cue '), fc.uint8Array({ maxLength: 40 }));
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(chunk, { maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('unsigned8', 'int16', 'int24', 'int32', 'float32', 'float64', 'alaw', 'mulaw'),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      (audio, extraChunks, sizes, encoding, channels, isExtensible) => {
        const file = wrapWav(audio, { encoding, channels, extraChunks, isExtensible });
        const { audio: found, layout } = read(file, sizes);
        const { bytesPerFrame, ...format } = layout!.format;
        expect(format).toEqual({ encoding, channels, sampleRateHz: 16_000 });
        expect(found).toEqual([...audio.subarray(0, audio.length - (audio.length % bytesPerFrame))]);
      },
    ),
  );
});

test.each([
  ['the largest size', { riffBytes: 0xffff_ffff, dataBytes: 0xffff_ffff }],
  ['the largest size only for the audio', { dataBytes: 0xffff_ffff }],
  ['zero', { riffBytes: 0, dataBytes: 0 }],
  ['zero for the audio and the header size for the file', { riffBytes: 36, dataBytes: 0 }],
  ['zero for the file and the largest size for the audio', { riffBytes: 0xffff_ffff, dataBytes: 0 }],
  ['the largest size that sox writes', { riffBytes: 0x7fff_f024, dataBytes: 0x7fff_f000 }],
])('WavReader reads up to the end of the file if the writer left a placeholder size (%s)', (_name, sizes) => {
  expect(read(wav(sizes), [5]).audio).toEqual([...AUDIO]);
});

test('WavReader returns no audio if the header declares zero bytes of audio and the file continues after them', () => {
  const file = wrapWav(new Uint8Array(0), { extraChunks: [['LIST', AUDIO]] });
  expect(read(file)).toMatchObject({ audio: [], missingBytes: 0 });
});

test('WavReader returns the whole frames of a truncated file and the number of missing bytes', () => {
  const file = wav({ channels: 2 });
  expect(read(file.subarray(0, 44 + 11))).toMatchObject({ audio: [...AUDIO.subarray(0, 8)], missingBytes: 13 });
});

test('WavReader reads the audio size of an RF64 file from its ds64 chunk', () => {
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(24n, 8);
  const file = Buffer.from(wav({ riffBytes: 0xffff_ffff, dataBytes: 0xffff_ffff, extraChunks: [['ds64', sizes]] }));
  file.write('RF64', 'latin1');
  expect(read(file, [7])).toMatchObject({ audio: [...AUDIO], layout: { declaredBytes: 24 } });
});

test('WavReader derives the container width of samples from the frame size', () => {
  const file = Buffer.from(wrapWav(encodeSamples([0.5, -0.5], 'int32'), { encoding: 'int32' }));
  file.writeUInt16LE(24, 34);
  expect(read(file).layout?.format).toMatchObject({ encoding: 'int32', bytesPerFrame: 4 });
});

const withFormat = (change: (format: DataView) => void) => {
  const file = wav();
  change(new DataView(file.buffer, 20));
  return file;
};

test.each([
  ['the file is empty', new Uint8Array(0)],
  ['this is not a WAV file', Buffer.from('hello')],
  ['this is not a WAV file: convert it', Buffer.from('hello, world, hello')],
  ['this is a FLAC file', Buffer.from('fLaC........')],
  ['this is an Ogg file', Buffer.from('OggS........')],
  ['this is an MP3 file', Buffer.from('ID3.........')],
  ['this is an MP3 file', Buffer.from('fffb9000000000000000000000', 'hex')],
  ['this is an MP4 or M4A file', Buffer.from('....ftypM4A ')],
  ['this is a WebM or Matroska file', Buffer.from('1a45dfa30000000000000000', 'hex')],
  ['this is a big-endian WAV file', Buffer.from('RIFX....WAVE')],
  ['this is not a WAV file', Buffer.from('RIFF....AVI ')],
  ['ends before its audio starts', wav().subarray(0, 40)],
  ['ends before its audio starts', wav().subarray(0, 12)],
  ['its audio precedes its format', Buffer.concat([wav().subarray(0, 12), wav().subarray(36)])],
  ['WAV with IMA ADPCM audio', withFormat((format) => format.setUint16(0, 0x11, true))],
  ['WAV with MP3 audio', withFormat((format) => format.setUint16(0, 0x55, true))],
  ['format 0x1234', withFormat((format) => format.setUint16(0, 0x1234, true))],
  ['samples of 64 bits', withFormat((format) => format.setUint32(12, 0x0040_0008, true))],
  ['samples of 0 bits', withFormat((format) => format.setUint32(12, 0, true))],
  ['it declares 0 channels', withFormat((format) => format.setUint16(2, 0, true))],
  ['it declares 0 samples per second', withFormat((format) => format.setUint32(4, 0, true))],
  ['fewer than 16 bytes', wav().fill(4, 16, 17)],
  ['its format has 4026531840 bytes', wav().fill(0xf0, 19, 20).fill(0, 16, 17)],
])('WavReader refuses an unusable file with "%s"', (message, file) => {
  expect(() => read(file)).toThrow(message);
  expect(() => read(file, [3])).toThrow(message);
});

test('WavReader throws only AudioFormatError for a file with changed bytes', () => {
  const change = fc.tuple(fc.nat(80), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 90 }), (changes, size) => {
      const file = wav({ extraChunks: [['LIST', AUDIO.subarray(0, 5)]] });
      for (const [at, byte] of changes) file[at] = byte;
      try {
        expect(read(file, [size]).audio.length).toBeLessThanOrEqual(file.length);
      } catch (error) {
        expect(error).toBeInstanceOf(AudioFormatError);
      }
    }),
    { numRuns: 500 },
  );
});
