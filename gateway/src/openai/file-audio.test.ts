import fc from 'fast-check';
import { FileAudio, findQuietMoment, MAX_UTTERANCE_BYTES } from './file-audio.ts';

const SECOND = 32_000;
/** Builds loud audio with quiet intervals of 160 ms, which start at the given milliseconds. */
function buildAudio(quietMs: readonly number[], seconds = 500): Buffer {
  const samples = new Int16Array((seconds * SECOND) / 2).map((_, at) => (at % 2 === 0 ? 3000 : -3000));
  for (const ms of quietMs) samples.fill(0, ms * 16, (ms + 160) * 16);
  return Buffer.from(samples.buffer);
}

/** Divides audio that arrives in frames of the given sizes. Returns the ends of the utterances in milliseconds. */
async function divide(audio: Buffer, sizes: readonly number[], isLong = true): Promise<number[]> {
  const frames: Buffer[] = [];
  for (let at = 0, turn = 0; at < audio.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    frames.push(audio.subarray(at, at + size));
    at += size;
  }
  const file = new FileAudio(frames.values() as unknown as AsyncIterator<Buffer, undefined>, isLong);
  const taken: Buffer[] = [];
  const ends: number[] = [];
  for (let [bytes, utterance, isLast] = [0, 0, false]; !isLast;) {
    await file.prepare(utterance);
    const step = file.take(utterance);
    taken.push(step.pcm ?? Buffer.alloc(0));
    bytes += step.pcm?.length ?? 0;
    utterance = step.endsUtterance ? 0 : utterance + (step.pcm?.length ?? 0);
    if (step.endsUtterance) ends.push(bytes / 32);
    isLast = step.isLast;
  }
  expect(Buffer.concat(taken).equals(audio)).toBe(true);
  return ends;
}

test('FileAudio ends utterances of a long file at the quietest moment between 230 and 240 s after their start', async () => {
  // The first quiet moment is too early. The second utterance starts at 235.08 s and ends at 467.08 s. That is also
  // between 230 and 240 s after its start.
  const audio = buildAudio([229_000, 235_000, 467_000]);
  await expect(divide(audio, [2 * SECOND])).resolves.toEqual([235_080, 467_080, 500_000]);
});

test('FileAudio ends utterances at the same samples, whatever the sizes of the frames are', async () => {
  const audio = buildAudio([231_000, 467_000]);
  const sizes = fc.array(fc.integer({ min: 500, max: 32_768 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(sizes, async (samples) => {
      const bytes = samples.map((size) => size * 2);
      await expect(divide(audio, bytes)).resolves.toEqual([231_080, 467_080, 500_000]);
    }),
    { numRuns: 10 },
  );
});

test('FileAudio does not divide a file of at most 240 s, and divides no file at all if isLong is false', async () => {
  const exact = buildAudio([235_000], 240);
  expect(exact).toHaveLength(MAX_UTTERANCE_BYTES);
  await expect(divide(exact, [SECOND])).resolves.toEqual([240_000]);
  await expect(divide(buildAudio([], 235), [SECOND])).resolves.toEqual([235_000]);
  await expect(divide(buildAudio([235_000], 300), [SECOND], false)).resolves.toEqual([300_000]);
});

test('FileAudio discards the utterance end that it has found if a pause ends the utterance earlier', async () => {
  const audio = buildAudio([235_000]);
  const frames = [audio.subarray(0, 230 * SECOND), audio.subarray(230 * SECOND)];
  const file = new FileAudio(frames.values() as unknown as AsyncIterator<Buffer, undefined>, true);
  await file.prepare(0);
  file.take(0);
  await file.prepare(230 * SECOND);
  file.restart();
  await file.prepare(SECOND);
  expect(file.take(SECOND)).toMatchObject({ endsUtterance: false, isLast: false });
});

test('FileAudio sets no utterance end if a pause ends the utterance while frames are being decoded', async () => {
  const audio = buildAudio([235_000]);
  const frames = [audio.subarray(0, 230 * SECOND), audio.subarray(230 * SECOND)];
  const file = new FileAudio(frames.values() as unknown as AsyncIterator<Buffer, undefined>, true);
  await file.prepare(0);
  file.take(0);
  const prepared = file.prepare(230 * SECOND);
  file.restart();
  await prepared;
  expect(file.take(SECOND)).toMatchObject({ endsUtterance: false, isLast: false });
});

test('findQuietMoment returns the end of the audio if the audio is shorter than 160 ms', () => {
  expect(findQuietMoment(Buffer.alloc(3 * 320))).toBe(3 * 320);
});
