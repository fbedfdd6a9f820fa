import { AUDIO } from '@svc-asr/core';
import { InputAudio, rateOf, streamSamples } from './input-format.ts';
import type { InputFormat } from './input-format.ts';

const TONE_HZ = 440;
const LEVEL = 0.5;
const FORMATS: [string, InputFormat][] = [
  ['PCM at 24 kHz', { type: 'audio/pcm', rate: 24_000 }],
  ['PCM at 16 kHz', { type: 'audio/pcm', rate: 16_000 }],
  ['mu-law', { type: 'audio/pcmu' }],
  ['A-law', { type: 'audio/pcma' }],
];

/** Returns one second of a tone. For G.711, each sample is encoded as the byte whose decoded value is nearest. */
function tone(format: InputFormat): Buffer {
  const rate = rateOf(format);
  const samples = Array.from({ length: rate }, (_, at) => LEVEL * Math.sin((2 * Math.PI * TONE_HZ * at) / rate));
  const pcm = Buffer.alloc(2 * rate);
  for (const [at, sample] of samples.entries()) pcm.writeInt16LE(Math.round(sample * 32_767), 2 * at);
  if (format.type === 'audio/pcm') return pcm;
  const encode = format.type === 'audio/pcmu' ? encodeMulaw : encodeAlaw;
  return Buffer.from(samples.map((sample) => encode(Math.round(sample * 32_767))));
}

function encodeMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 0xff;
}

function encodeAlaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), 32_767);
  const exponent = Math.max(0, Math.floor(Math.log2(Math.max(magnitude, 1))) - 7);
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 15;
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55;
}

test.each(FORMATS)(
  'InputAudio converts a tone in %s that arrives in parts to the same tone at 16 kHz',
  (_name, format) => {
    const input = new InputAudio();
    const audio = tone(format);
    const parts: Buffer[] = [];
    for (let at = 0; at < audio.length; at += 998) parts.push(input.push(audio.subarray(at, at + 998), format));
    const pcm = Buffer.concat([...parts, input.end()]);
    expect(pcm.length / 2).toBe(streamSamples(audio.length, format));
    let largest = 0;
    // The filter needs audio on both sides of a sample, so the edges are not compared.
    for (let at = 200; at < pcm.length / 2 - 200; at++) {
      const expected = LEVEL * Math.sin((2 * Math.PI * TONE_HZ * at) / AUDIO.sampleRateHz);
      largest = Math.max(largest, Math.abs(pcm.readInt16LE(2 * at) / 32_768 - expected));
    }
    expect(largest).toBeLessThan(format.type === 'audio/pcm' ? 0.001 : 0.02);
  },
);

test('InputAudio loses no audio when the format changes', () => {
  const input = new InputAudio();
  const [first, second] = [FORMATS[0]![1], FORMATS[2]![1]];
  const pcm = Buffer.concat([input.push(tone(first), first), input.push(tone(second), second), input.end()]);
  expect(pcm.length / 2).toBe(2 * AUDIO.sampleRateHz);
});
