import fc from 'fast-check';
import { encodeSamples } from '../../../../test/support/wav.ts';
import { decodeMono } from './decode.ts';
import { toPcm16 } from './pcm16.ts';
import type { SampleEncoding, WavFormat } from './wav-format.ts';

const WIDTHS = { unsigned8: 1, int16: 2, int24: 3, int32: 4, float32: 4, float64: 8, alaw: 1, mulaw: 1 };
const formatOf = (encoding: SampleEncoding, channels = 1): WavFormat => ({
  encoding,
  channels,
  sampleRateHz: 16_000,
  bytesPerFrame: WIDTHS[encoding] * channels,
});

test('decodeMono and toPcm16 keep every bit of 16-bit samples', () => {
  const every = Int16Array.from({ length: 65_536 }, (_, n) => n - 32_768);
  const bytes = new Uint8Array(every.buffer);
  expect(toPcm16(decodeMono(bytes, formatOf('int16')))).toEqual(every);
});

test.each(['unsigned8', 'int16', 'int24', 'int32', 'float32', 'float64'] as const)(
  'decodeMono decodes %s samples with an error of at most one quantization step',
  (encoding) => {
    const sample = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(sample), (samples) => {
        const decoded = decodeMono(encodeSamples(samples, encoding), formatOf(encoding));
        const step = encoding === 'unsigned8' ? 1 / 128 : encoding === 'int16' ? 1 / 32_768 : 1e-6;
        samples.forEach((value, at) => expect(Math.abs(decoded[at]! - value)).toBeLessThanOrEqual(step));
      }),
    );
  },
);

test('decodeMono mixes channels to their mean', () => {
  const bytes = encodeSamples([1, 0, -1, 0.5, 0.5, 0.5], 'float32');
  expect([...decodeMono(bytes, formatOf('float32', 3))]).toEqual([0, 0.5]);
  expect([...decodeMono(bytes, formatOf('float32', 2))]).toEqual([0.5, -0.25, 0.5]);
});

test('decodeMono returns silence for NaN and infinite samples', () => {
  const bytes = encodeSamples([NaN, Infinity, -Infinity, 0.25], 'float64');
  expect([...decodeMono(bytes, formatOf('float64'))]).toEqual([0, 0, 0, 0.25]);
});

test('toPcm16 clips samples that are too loud', () => {
  expect([...toPcm16(Float32Array.from([1, 2, 1e9, -1, -2, 0.5, -0]))]).toEqual([
    32_767, 32_767, 32_767, -32_768, -32_768, 16_384, 0,
  ]);
});

test('decodeMono decodes A-law and mu-law as G.711 defines them', () => {
  const values = (bytes: number[], encoding: SampleEncoding) =>
    [...decodeMono(Uint8Array.from(bytes), formatOf(encoding))].map((value) => value * 32_768);
  expect(values([0xd5, 0x55, 0x80, 0x00, 0xaa, 0x2a], 'alaw')).toEqual([8, -8, 5504, -5504, 32_256, -32_256]);
  expect(values([0xff, 0x7f, 0x80, 0x00, 0xf0, 0x8f], 'mulaw')).toEqual([0, 0, 32_124, -32_124, 120, 16_764]);
});
