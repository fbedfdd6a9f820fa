import fc from 'fast-check';
import { LogMel } from './logmel.ts';
import { buildMelFilters } from './mel.ts';

const noise = Int16Array.from({ length: 1024 }, (_, i) => ((i * 7919) % 4001) - 2000);
const features = (samples: Int16Array, base: number, start: number, end: number, t: number): number[] => {
  const out = new Float32Array(80);
  new LogMel(80).frames({ samples, base, mask: 1023 }, start, end, t, 1, { values: out, offset: 0, stride: 1 });
  return Array.from(out);
};

test('LogMel returns the floor value for silence', () => {
  for (const value of features(new Int16Array(1024), 0, 0, 1024, 2)) expect(value).toBeCloseTo(Math.log(2 ** -24), 4);
});

test('LogMel returns the same features for an utterance, regardless of its start position in the ring', () => {
  const moved = new Int16Array(2048);
  for (let i = 0; i < 800; i++) moved[1024 + ((i + 900) & 1023)] = noise[i]!;
  for (let t = 0; t < 5; t++)
    expect(features(moved, 1024, 900, 1700, t)).toEqual(features(noise.slice(0, 1024), 0, 0, 800, t));
});

test('LogMel ignores samples before and after the utterance', () => {
  const alone = new Int16Array(1024);
  alone.set(noise.subarray(300, 700), 300);
  for (let t = 0; t < 3; t++) expect(features(noise, 0, 300, 700, t)).toEqual(features(alone, 0, 300, 700, t));
});

/** Computes the features of frame `t` directly from the definition of the features, with 64-bit numbers. */
function featuresByDefinition(samples: Int16Array, t: number): number[] {
  const [size, window, hop] = [512, 400, 160];
  const sample = (n: number) => (samples[n] ?? 0) / 32_768;
  const windowed = Array.from({ length: window }, (_, i) => {
    const n = t * hop - window / 2 + i;
    const emphasized = n < 0 || n >= samples.length ? 0 : sample(n) - 0.97 * sample(n - 1);
    return emphasized * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (window - 1)));
  });
  const cosine = Array.from({ length: size }, (_, i) => Math.cos((2 * Math.PI * i) / size));
  const power = Array.from({ length: size / 2 + 1 }, (_, bin) => {
    let [re, im] = [0, 0];
    windowed.forEach((value, n) => {
      re += value * cosine[(bin * n) % size]!;
      im += value * cosine[(bin * n + size / 4) % size]!;
    });
    return re * re + im * im;
  });
  const { count, starts, offsets, weights } = buildMelFilters(80, power.length, 16_000);
  return Array.from({ length: count }, (_, m) => {
    const own = weights.subarray(offsets[m], offsets[m + 1]);
    return Math.log(own.reduce((sum, weight, i) => sum + weight * power[starts[m]! + i]!, 2 ** -24));
  });
}

test('LogMel returns the features that follow from their definition, for any number of frames', () => {
  const recording = fc.record({
    samples: fc.int16Array({ minLength: 1, maxLength: 1024 }),
    t: fc.nat(2),
    count: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(recording, ({ samples, t, count }) => {
      const ring = { samples: Int16Array.from({ length: 1024 }, (_, i) => samples[i] ?? 0), base: 0, mask: 1023 };
      const values = new Float32Array(80 * count);
      new LogMel(80).frames(ring, 0, samples.length, t, count, { values, offset: 0, stride: count });
      for (let c = 0; c < count; c++) {
        featuresByDefinition(samples, t + c).forEach((expected, m) => {
          expect(Math.abs(values[m * count + c]! - expected)).toBeLessThan(1e-3);
        });
      }
    }),
    { numRuns: 10 },
  );
});

test('LogMel returns bit-identical features for a frame, whichever other frames are computed with it', () => {
  const ring = { samples: noise.slice(), base: 0, mask: 1023 };
  const values = new Float32Array(80 * 6);
  new LogMel(80).frames(ring, 0, 1024, 0, 6, { values, offset: 0, stride: 6 });
  for (let t = 0; t < 6; t++) {
    const column = Array.from({ length: 80 }, (_, m) => values[m * 6 + t]!);
    expect(features(ring.samples, 0, 0, 1024, t)).toEqual(column);
  }
});
