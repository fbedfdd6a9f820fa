import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildFlac, buildFlacBomb } from '../../../test/support/flac.ts';
import { buildOpusBomb } from '../../../test/support/ogg.ts';
import { wrapWav } from '../../../test/support/wav.ts';
import { decodeFile, MEMORY_LIMITS } from './decode.ts';
import type { DecodedAudio } from './decode.ts';

const NEVER = new AbortController().signal;
const MEBIBYTE = 1_048_576;
/** Limits with a shorter duration than in production, because a file of the maximum duration takes long to decode. */
const LIMITS = { maxSeconds: 300, maxBytes: 200 * MEBIBYTE, checkTimeoutMs: 60_000 };

async function readAll({ frames }: DecodedAudio): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let next = await frames.next(); next.value !== undefined; next = await frames.next()) parts.push(next.value);
  return Buffer.concat(parts);
}

const noise = Buffer.alloc(400_002);
for (let at = 0; at < noise.length; at += 2) noise.writeInt16LE(((at * 7919) % 65_536) - 32_768, at);

test.each<[string, Uint8Array]>([
  ['WAV', wrapWav(noise)],
  ['FLAC', buildFlac(noise)],
])('decodeFile returns the number of samples of a %s file, and then frames of whole samples', async (_name, file) => {
  const audio = await decodeFile(Buffer.from(file), NEVER);
  expect(audio.samples).toBe(noise.length / 2);
  const first = await audio.frames.next();
  expect([first.value!.length % 2, first.value!.length <= 65_536]).toEqual([0, true]);
  expect(Buffer.concat([first.value!, await readAll(audio)]).equals(noise)).toBe(true);
  await audio.closed;
});

test('decodeFile ends the decoder process when the reader closes the audio early', async () => {
  const audio = await decodeFile(Buffer.from(wrapWav(Buffer.alloc(32_000 * 200))), NEVER);
  await audio.frames.next();
  audio.close();
  await audio.closed;
});

test('decodeFile ends the decoder process when the client disconnects', async () => {
  const gone = new AbortController();
  const audio = await decodeFile(Buffer.from(wrapWav(Buffer.alloc(32_000 * 200))), gone.signal);
  gone.abort();
  await audio.closed;
});

/** Returns how many blocks of `samples` samples are together longer than the maximum duration of a file. */
const blocks = (samples: number) => Math.ceil((LIMITS.maxSeconds * 16_000) / samples) + 1;

test.each<[string, Buffer]>([
  ['FLAC', buildFlacBomb(blocks(65_535))],
  ['Ogg Opus', buildOpusBomb(blocks(255 * 120 * 16))],
])('decodeFile refuses a small %s file whose audio is too long', async (_name, file) => {
  expect(file.length).toBeLessThan(MEBIBYTE);
  await expect(decodeFile(file, NEVER, LIMITS)).rejects.toMatchObject({ code: 'audio_too_long' });
});

test.each([
  [16_000, 1],
  [15_999, 1],
])('decodeFile accepts a file of %d samples if the limit is %d s', async (samples, maxSeconds) => {
  const audio = await decodeFile(Buffer.from(wrapWav(noise.subarray(0, samples * 2))), NEVER, {
    ...LIMITS,
    maxSeconds,
  });
  expect(audio.samples).toBe(samples);
  audio.close();
});

test('decodeFile refuses a file that is one sample longer than the limit', async () => {
  const file = Buffer.from(wrapWav(noise.subarray(0, 16_001 * 2)));
  const result = decodeFile(file, NEVER, { ...LIMITS, maxSeconds: 1 });
  await expect(result).rejects.toMatchObject({ code: 'audio_too_long' });
});

test('decodeFile refuses a file whose decoder exceeds its memory limit', async () => {
  const file = Buffer.from(wrapWav(noise));
  const result = decodeFile(file, NEVER, { ...LIMITS, maxBytes: MEBIBYTE });
  await expect(result).rejects.toMatchObject({ code: 'invalid_audio', message: expect.stringContaining('memory') });
});

test('decodeFile refuses a file whose check takes longer than checkTimeoutMs', async () => {
  const result = decodeFile(Buffer.from(wrapWav(noise)), NEVER, { ...LIMITS, checkTimeoutMs: 1 });
  await expect(result).rejects.toMatchObject({ code: 'invalid_audio', message: expect.stringContaining('too long') });
});

test.each([
  ['WebAssembly', 'new WebAssembly.Memory({ initial: 1024 })', 'new WebAssembly.Memory({ initial: 1025 })'],
  ['the JavaScript heap', 'const a = Array(1e6).fill(0.5)', 'const a = []; for (;;) a.push(Array(1000).fill(0.5))'],
])('MEMORY_LIMITS limits the memory of %s in a decoder process', async (_name, allowed, refused) => {
  const run = (script: string) => promisify(execFile)(process.execPath, [...MEMORY_LIMITS, '-e', script]);
  await run(allowed);
  await expect(run(refused)).rejects.toThrow();
});
