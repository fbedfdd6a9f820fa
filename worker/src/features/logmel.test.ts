import { LogMel } from './logmel.ts';

const noise = Int16Array.from({ length: 1024 }, (_, i) => ((i * 7919) % 4001) - 2000);
const features = (samples: Int16Array, base: number, start: number, end: number, t: number): number[] => {
  const out = new Float32Array(80);
  new LogMel(80).frame({ samples, base, mask: 1023 }, start, end, t, out, 0, 1);
  return Array.from(out);
};

test('LogMel returns the floor value for silence', () => {
  for (const value of features(new Int16Array(1024), 0, 0, 1024, 2)) expect(value).toBeCloseTo(Math.log(2 ** -24), 4);
});

test('LogMel returns the same features wherever the utterance lies in the ring', () => {
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
