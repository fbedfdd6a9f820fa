import fc from 'fast-check';
import { audioMs, billableMs, chunkSamples, samplesOf } from './audio.ts';

test.each([
  [0, 0, 0],
  [1, 1, 1000],
  [16, 1, 1000],
  [17, 2, 1000],
  [15_999, 1000, 1000],
  [16_000, 1000, 1000],
  [16_001, 1001, 2000],
  [4_800_000, 300_000, 300_000],
])('%i samples are %i ms of audio (audioMs) and are charged as %i ms (billableMs)', (samples, audio, billable) => {
  expect([audioMs(samples), billableMs(samples)]).toEqual([audio, billable]);
});

test('billableMs is the duration rounded up to a whole second, for any number of samples', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_800_000 }), (samples) => {
      const cost = billableMs(samples);
      expect(cost % 1000).toBe(0);
      expect(cost).toBeGreaterThanOrEqual(audioMs(samples));
      expect(cost - audioMs(samples)).toBeLessThan(1000);
      expect(samplesOf(cost / 1000)).toBeGreaterThanOrEqual(samples);
    }),
  );
});

test('chunkSamples returns 80 ms of samples for a chunk, and 80 ms more for each frame of right context', () => {
  expect([13, 6, 3, 1, 0].map(chunkSamples)).toEqual([17_920, 8_960, 5_120, 2_560, 1_280]);
});
