import { encodeSamples, tone, wrapWav } from '../../../../test/support/wav.ts';
import { createWavConverter } from './converter.ts';

function convert(file: Uint8Array, size: number): number[] {
  const converter = createWavConverter();
  const pcm: number[] = [];
  for (let at = 0; at < file.length; at += size) pcm.push(...converter.push(file.subarray(at, at + size)));
  return [...pcm, ...converter.end().pcm];
}

test('createWavConverter keeps every bit of a file that has the format of the stream', () => {
  const samples = Int16Array.from({ length: 1000 }, (_, n) => ((n * 7919) % 65_536) - 32_768);
  expect(convert(wrapWav(new Uint8Array(samples.buffer)), 777)).toEqual([...samples]);
});

test('createWavConverter converts 24-bit stereo at 48,000 Hz, regardless of the sizes of the pieces of the file', () => {
  const left = tone(440, 48_000, 4800);
  const audio = encodeSamples(
    left.flatMap((sample) => [sample, 0]),
    'int24',
  );
  const file = wrapWav(audio, { encoding: 'int24', channels: 2, sampleRateHz: 48_000, isExtensible: true });
  const whole = convert(file, file.length);
  expect(whole).toHaveLength(1600);
  expect(convert(file, 61)).toEqual(whole);
  const expected = tone(440, 16_000, 1600, 0.25);
  for (let n = 200; n < 1400; n++) expect(Math.abs(whole[n]! / 32_768 - expected[n]!)).toBeLessThan(1e-4);
});
