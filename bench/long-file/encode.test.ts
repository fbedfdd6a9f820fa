import { createWavConverter } from '@svc-asr/client';
import { wrapWav } from '../../test/support/wav.ts';
import { encodeMulaw } from './encode.ts';

test('encodeMulaw is reversed by the converter of WAV files, within the steps of mu-law', () => {
  const samples = Array.from({ length: 600 }, (_, at) => (at - 300) * 109);
  const converter = createWavConverter();
  const file = wrapWav(Uint8Array.from(samples, encodeMulaw), { encoding: 'mulaw' });
  const decoded = [...converter.push(file), ...converter.end().pcm];
  expect(decoded).toHaveLength(samples.length);
  for (const [at, sample] of samples.entries()) {
    expect(Math.abs((decoded[at] ?? 0) - sample)).toBeLessThanOrEqual(Math.max(8, Math.abs(sample) / 16));
  }
});
