import fc from 'fast-check';
import { HeldAudio } from './held-audio.ts';

test('HeldAudio returns the appended audio from any sample on, whatever the sizes of the frames are', () => {
  const frames = fc.array(fc.integer({ min: 0, max: 32_768 }), { maxLength: 20 });
  fc.assert(
    fc.property(frames, fc.double({ min: 0, max: 1, noNaN: true }), (lengths, part) => {
      const audio = new HeldAudio();
      const pcm = lengths.map((samples, at) => Buffer.alloc(samples * 2, at + 1));
      for (const frame of pcm) audio.append(frame);
      const whole = Buffer.concat(pcm);
      const from = Math.floor((part * whole.length) / 2);
      expect(audio.samples).toBe(whole.length / 2);
      expect(Buffer.concat(audio.from(from)).equals(whole.subarray(from * 2))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('HeldAudio keeps its own copy of a frame, so that the buffer of the frame can be reused', () => {
  const audio = new HeldAudio();
  const frame = Buffer.alloc(8, 7);
  audio.append(frame);
  frame.fill(0);
  expect(audio.from(0)).toEqual([Buffer.alloc(8, 7)]);
});

test('when more audio is appended, HeldAudio does not change a piece that it has already returned', () => {
  const audio = new HeldAudio();
  audio.append(Buffer.alloc(8, 1));
  const [piece] = audio.from(0);
  audio.append(Buffer.alloc(8, 2));
  expect(piece).toEqual(Buffer.alloc(8, 1));
});
