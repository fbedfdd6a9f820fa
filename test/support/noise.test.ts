import { addNoise, addNoiseBelow } from './noise.ts';

const rmsOf = (samples: Int16Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

test('addNoise adds the same noise of the given loudness each time, and other noise with another seed', () => {
  const silence = new Int16Array(8000);
  expect(rmsOf(addNoise(silence, 100))).toBeCloseTo(100, -1);
  expect(addNoise(silence, 100)).toEqual(addNoise(silence, 100));
  expect(addNoise(silence, 100, 2)).not.toEqual(addNoise(silence, 100));
});

test('addNoise limits samples to 16 bits', () => {
  const loud = addNoise(new Int16Array(1000).fill(32_767), 1000);
  expect(Math.min(...loud)).toBeGreaterThan(20_000);
});

test.each([
  [20, 100],
  [0, 1000],
])('addNoiseBelow adds noise that is %i dB below samples with a loudness of 1,000', (ratioDb, rms) => {
  const samples = new Int16Array(8000).fill(1000);
  const noise = addNoiseBelow(samples, ratioDb).map((value) => value - 1000);
  expect(rmsOf(noise) / rms).toBeCloseTo(1, 1);
});
