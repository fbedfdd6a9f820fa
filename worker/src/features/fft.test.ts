import fc from 'fast-check';
import { FFT_SIZE, PowerSpectrum, SPECTRUM_BINS } from './fft.ts';

/** Computes the power spectrum by its definition. */
function naivePower(samples: Float64Array): number[] {
  return Array.from({ length: SPECTRUM_BINS }, (_, bin) => {
    let [re, im] = [0, 0];
    samples.forEach((sample, n) => {
      const angle = (-2 * Math.PI * bin * n) / FFT_SIZE;
      re += sample * Math.cos(angle);
      im += sample * Math.sin(angle);
    });
    return re * re + im * im;
  });
}

test('PowerSpectrum equals the spectrum computed by definition', () => {
  const spectrum = new PowerSpectrum();
  const samples = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: FFT_SIZE, maxLength: FFT_SIZE });
  fc.assert(
    fc.property(samples, (values) => {
      spectrum.input.set(values);
      spectrum.power();
      naivePower(spectrum.input).forEach((power, bin) => {
        expect(Math.abs(spectrum.output[bin]! - power)).toBeLessThan(1e-8 * (1 + power));
      });
    }),
    { numRuns: 10 },
  );
});

test('PowerSpectrum puts a pure tone into its bin only', () => {
  const spectrum = new PowerSpectrum();
  spectrum.input.forEach((_, n) => (spectrum.input[n] = Math.cos((2 * Math.PI * 37 * n) / FFT_SIZE)));
  spectrum.power();
  expect(spectrum.output[37]).toBeCloseTo((FFT_SIZE / 2) ** 2);
  expect(spectrum.output.reduce((sum, power) => sum + power, 0)).toBeCloseTo((FFT_SIZE / 2) ** 2);
});
