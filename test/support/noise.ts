import { Random } from './random.ts';

/** Adds white noise of this loudness (RMS) to samples of 16 bits. The same seed adds the same noise. */
export function addNoise(samples: Int16Array, rms: number, seed = 1): Int16Array {
  const random = new Random(seed);
  // The sum of uniform values is nearly Gaussian. The sum of 12 of them has a variance of 1.
  const gaussian = () => Array.from({ length: 12 }, () => random.next()).reduce((sum, value) => sum + value, -6);
  return samples.map((value) => Math.max(-32_768, Math.min(32_767, Math.round(value + gaussian() * rms))));
}

/** Adds white noise whose loudness is `ratioDb` below that of the samples. */
export function addNoiseBelow(samples: Int16Array, ratioDb: number, seed?: number): Int16Array {
  const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
  return addNoise(samples, Math.sqrt(power) / 10 ** (ratioDb / 20), seed);
}
