import fc from 'fast-check';
import { tone } from '../../../../test/support/wav.ts';
import { createResampler, resampledLength } from './resampler.ts';

function resample(samples: Float32Array, fromHz: number, sizes: readonly number[] = [4096]): Float32Array {
  const resampler = createResampler(fromHz, 16_000);
  const parts: Float32Array[] = [];
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const part = samples.slice(at, at + sizes[turn % sizes.length]!);
    parts.push(resampler.push(part));
    at += part.length;
  }
  parts.push(resampler.end());
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** Returns the level of a tone in a signal, in dB of full scale. Ignores 1,600 samples at each end of the signal. */
function levelDb(samples: Float32Array, hz: number): number {
  const inner = samples.subarray(1600, -1600);
  let [real, imaginary] = [0, 0];
  inner.forEach((sample, n) => {
    // A Hann window keeps the leakage of other tones far below the measured level.
    const weight = 1 - Math.cos((2 * Math.PI * n) / inner.length);
    real += weight * sample * Math.cos((2 * Math.PI * hz * n) / 16_000);
    imaginary += weight * sample * Math.sin((2 * Math.PI * hz * n) / 16_000);
  });
  return 20 * Math.log10((2 * Math.hypot(real, imaginary)) / inner.length + 1e-12);
}

/** Returns the level of a signal with all its tones, in dB of full scale. Ignores 1,600 samples at each end. */
function powerDb(samples: Float32Array): number {
  const inner = samples.subarray(1600, -1600);
  return 10 * Math.log10(inner.reduce((sum, sample) => sum + sample * sample, 0) / inner.length + 1e-12);
}

const sine = (hz: number, fromHz: number) => Float32Array.from(tone(hz, fromHz, fromHz, 1));
const RATES = [8000, 11_025, 12_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000, 44_101, 7919];

test.each(RATES)('createResampler keeps position and level of a 1 kHz tone sampled at %i Hz', (fromHz) => {
  const output = resample(sine(1000, fromHz), fromHz);
  expect(output).toHaveLength(16_000);
  expect(levelDb(output, 1000)).toBeCloseTo(0, 1);
  const expected = sine(1000, 16_000);
  const error = output.map((sample, n) => sample - expected[n]!);
  expect(powerDb(error)).toBeLessThan(-80);
});

test.each(RATES.filter((rate) => rate > 22_050))('createResampler removes a 10 kHz tone sampled at %i Hz', (fromHz) => {
  const output = resample(sine(10_000, fromHz), fromHz);
  expect(levelDb(output, 6000)).toBeLessThan(-80);
  expect(powerDb(output)).toBeLessThan(-80);
});

test('createResampler passes tones up to 7 kHz and removes tones from 8.6 kHz on', () => {
  for (const hz of [100, 3000, 6000, 6900]) expect(levelDb(resample(sine(hz, 44_100), 44_100), hz)).toBeCloseTo(0, 1);
  for (const hz of [8600, 9000, 15_000, 21_000]) expect(powerDb(resample(sine(hz, 44_100), 44_100))).toBeLessThan(-60);
});

test('createResampler creates no mirror image of a tone when it doubles the sample rate', () => {
  expect(levelDb(resample(sine(3000, 8000), 8000), 5000)).toBeLessThan(-80);
});

test('createResampler keeps a constant signal constant', () => {
  const output = resample(new Float32Array(44_100).fill(0.25), 44_100).subarray(200, -200);
  expect(Math.max(...output.map((sample) => Math.abs(sample - 0.25)))).toBeLessThan(1e-6);
});

test('createResampler returns the same samples for any division of the input', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RATES),
      fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { maxLength: 1500 }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 }),
      (fromHz, samples, sizes) => {
        const input = Float32Array.from(samples);
        const whole = resample(input, fromHz, [Math.max(1, input.length)]);
        expect(resample(input, fromHz, sizes)).toEqual(whole);
        expect(whole).toHaveLength(resampledLength(input.length, fromHz, 16_000));
      },
    ),
    { numRuns: 40 },
  );
});

test('createResampler passes audio at 16,000 Hz unchanged', () => {
  const input = Float32Array.from([0.1, -0.2, 1]);
  expect(resample(input, 16_000)).toEqual(input);
});
