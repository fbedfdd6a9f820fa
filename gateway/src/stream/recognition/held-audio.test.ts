import fc from 'fast-check';
import { HeldAudio } from './held-audio.ts';

test('gives back from any sample on what was appended, however it was cut into frames', () => {
  const frames = fc.array(fc.integer({ min: 0, max: 32_768 }), { maxLength: 20 });
  fc.assert(
    fc.property(frames, fc.double({ min: 0, max: 1, noNaN: true }), (lengths, part) => {
      const audio = new HeldAudio();
      const pcm = lengths.map((samples, at) => Buffer.alloc(samples * 2, at + 1));
      for (const frame of pcm) audio.append(frame);
      const whole = Buffer.concat(pcm);
      const from = Math.floor((part * whole.length) / 2);
      expect(audio.samples).toBe(whole.length / 2);
      expect(Buffer.concat([...audio.from(from)]).equals(whole.subarray(from * 2))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('keeps nothing of a frame whose memory is used again', () => {
  const audio = new HeldAudio();
  const frame = Buffer.alloc(8, 7);
  audio.append(frame);
  frame.fill(0);
  expect([...audio.from(0)]).toEqual([Buffer.alloc(8, 7)]);
});

test('a piece that was given out does not change with what comes after it', () => {
  const audio = new HeldAudio();
  audio.append(Buffer.alloc(8, 1));
  const [piece] = audio.from(0);
  audio.append(Buffer.alloc(8, 2));
  expect(piece).toEqual(Buffer.alloc(8, 1));
});
