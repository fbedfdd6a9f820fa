import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { AudioFormatError } from '@svc-asr/client';
import { UnsupportedAudioError } from '@svc-asr/client/internal';
import { buildFlac, buildFlacBomb } from '../../../test/support/flac.ts';
import { buildOgg, buildOpusBomb, buildOpusChain, buildOpusHead } from '../../../test/support/ogg.ts';
import { recording } from '../../../test/support/recording.ts';
import { wrapWav } from '../../../test/support/wav.ts';
import { decodeAudio } from './decode.ts';

/** Decodes a file that arrives in pieces of this size. */
async function decode(file: Uint8Array, size = 65_536): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, n) =>
    file.subarray(n * size, (n + 1) * size),
  );
  const parts: Buffer[] = [];
  for await (const pcm of decodeAudio(Readable.from(pieces))) {
    parts.push(Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength));
  }
  return Buffer.concat(parts);
}

const fixture = (name: string) => readFileSync(new URL(`../../../test/support/fixtures/${name}`, import.meta.url));
const { pcm } = recording('ki_espeak_002');
const [flac, opus] = [fixture('ki_espeak_002.flac'), fixture('ki_espeak_002.opus')];

test('decodeAudio returns exactly the samples of a FLAC file, for pieces of any size', async () => {
  expect((await decode(flac)).equals(pcm)).toBe(true);
  expect((await decode(flac, 777)).equals(pcm)).toBe(true);
});

test('decodeAudio returns the same samples for a stereo FLAC file of 44.1 kHz as for a WAV file with the same audio', async () => {
  const samples = Buffer.alloc(4 * 9001);
  for (let n = 0; n < samples.length / 2; n++) samples.writeInt16LE(((n * 7919) % 65_536) - 32_768, n * 2);
  const options = { channels: 2, sampleRateHz: 44_100 };
  const picture = Buffer.alloc(100_000, 0xff);
  const expected = await decode(wrapWav(samples, options));
  expect((await decode(buildFlac(samples, { ...options, picture }))).equals(expected)).toBe(true);
});

test('decodeAudio returns the samples of an Opus file without the padding of the encoder', async () => {
  const decoded = await decode(opus);
  expect(decoded.length).toBe(pcm.length);
  expect((await decode(opus, 777)).equals(decoded)).toBe(true);
  let [noise, signal] = [0, 0];
  for (let at = 0; at < pcm.length; at += 2) {
    noise += (decoded.readInt16LE(at) - pcm.readInt16LE(at)) ** 2;
    signal += pcm.readInt16LE(at) ** 2;
  }
  expect(signal / noise).toBeGreaterThan(30);
});

const SECOND = Buffer.alloc(32_000);

test.each<[string, Uint8Array]>([
  ['text', Buffer.from('no audio')],
  ['MP3', Buffer.concat([Buffer.from('fffb9000', 'hex'), SECOND])],
  ['WAV with MP3 audio', Buffer.from(wrapWav(SECOND)).fill(0x55, 20, 21)],
  ['Ogg Vorbis', buildOgg([[Buffer.from('\u0001vorbis....................', 'latin1')]])],
  ['FLAC of 1,048,575 Hz', buildFlac(SECOND, { sampleRateHz: 1_048_575 })],
  ['Opus of 20 channels', buildOgg([[buildOpusHead(20)]])],
])('decodeAudio throws an UnsupportedAudioError for %s', async (_name, file) => {
  await expect(decode(file)).rejects.toThrow(UnsupportedAudioError);
});

const changed = (file: Buffer, at: number) => {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
};

test.each<[string, string, Uint8Array]>([
  ['an empty file', 'the file is empty', Buffer.alloc(0)],
  ['WAV that ends in its header', 'before its audio starts', wrapWav(SECOND).subarray(0, 40)],
  ['WAV without audio chunk', 'before its audio starts', wrapWav(SECOND).subarray(0, 36)],
  ['WAV with a short format', 'fewer than 16 bytes', Buffer.from(wrapWav(SECOND)).fill(4, 16, 17)],
  ['WAV without channels', 'it declares 0 channels', Buffer.from(wrapWav(SECOND)).fill(0, 22, 24)],
  ['WAV that is truncated', 'truncated', wrapWav(SECOND).subarray(0, 20_000)],
  ['FLAC that is truncated', 'can be decoded', flac.subarray(0, 30_000)],
  ['FLAC that ends in its header', 'header is not complete', flac.subarray(0, 30)],
  ['FLAC that ends in its metadata', 'before its audio', flac.subarray(0, 44)],
  [
    'FLAC with garbage after its header',
    'can be decoded',
    Buffer.concat([flac.subarray(0, 90), Buffer.alloc(50_000, 7)]),
  ],
  ['FLAC with a changed byte', 'can be decoded', changed(flac, 30_000)],
  ['FLAC with a huge declared size', 'can be decoded', buildFlac(SECOND, { declaredSamples: 2 ** 36 - 1 })],
  [
    'FLAC of unknown size with garbage',
    'no frame',
    Buffer.concat([buildFlac(SECOND, { declaredSamples: 0 }), Buffer.alloc(1000, 7)]),
  ],
  ['Opus that is truncated', 'middle of a page', opus.subarray(0, 10_000)],
  ['Opus with a changed byte', 'checksum', changed(opus, 10_000)],
  ['Opus with garbage at its end', 'no page', Buffer.concat([opus, SECOND])],
  [
    'Opus with a missing page',
    'page is missing',
    Buffer.concat([buildOpusBomb(1).subarray(0, 28 + 19), buildOpusBomb(1).subarray(47 + 44)]),
  ],
  [
    'Opus with an invalid packet',
    'corrupted',
    buildOgg([[buildOpusHead()], [SECOND.subarray(0, 16)], [Buffer.from([3, 0])]]),
  ],
  ['Opus with an empty packet', 'empty', buildOgg([[buildOpusHead()], [SECOND.subarray(0, 16)], [Buffer.alloc(0)]])],
  ['Opus without channels', 'declares 0 channels', buildOgg([[buildOpusHead(0)]])],
  ['an Ogg file of 257 streams', 'more than 256 streams', buildOpusChain(257)],
])('decodeAudio throws an AudioFormatError for %s', async (_name, message, file) => {
  const decoded = decode(file);
  await expect(decoded).rejects.toThrow(message);
  await expect(decoded).rejects.toThrow(AudioFormatError);
  await expect(decoded).rejects.not.toBeInstanceOf(UnsupportedAudioError);
});

test.each<[string, Uint8Array]>([
  ['WAV', wrapWav(Buffer.alloc(0))],
  ['FLAC', buildFlac(Buffer.alloc(0))],
  ['Opus', buildOgg([[buildOpusHead()], [SECOND.subarray(0, 16)]])],
  ['256 streams of Opus', buildOpusChain(256)],
])('decodeAudio returns no samples for %s without audio', async (_name, file) => {
  expect(await decode(file)).toHaveLength(0);
});

test.each<[string, Buffer, number]>([
  ['FLAC', buildFlacBomb(2000), 65_535],
  ['Opus', buildOpusBomb(3), 255 * 120 * 16],
])(
  'decodeAudio returns the samples of a highly compressed %s file in blocks, so that a reader can stop early',
  async (_name, file, most) => {
    for await (const { length } of decodeAudio(Readable.from([file]))) {
      expect(length).toBeLessThanOrEqual(most);
      if (length > 0) return;
    }
    throw new Error('the file has no audio');
  },
);

test('decodeAudio throws no other error than AudioFormatError for files with changed bytes', async () => {
  const files = [flac.subarray(0, 20_000), opus.subarray(0, 8000), buildFlac(SECOND), buildOpusBomb(2)];
  const change = fc.tuple(fc.nat(2000), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (file, changes) => {
        const copy = Buffer.from(file);
        for (const [at, byte] of changes) copy[at] = byte;
        await decode(copy).catch((error: unknown) => expect(error).toBeInstanceOf(AudioFormatError));
      },
    ),
    { numRuns: 25 },
  );
});

test('decodeAudio returns an empty block for each Ogg page without audio, so that its caller can check the memory use after every page', async () => {
  const lengths: number[] = [];
  for await (const { length } of decodeAudio(Readable.from([buildOpusChain(3)]))) lengths.push(length);
  expect(lengths).toEqual([0, 0, 0, 0, 0, 0, 0]);
});
