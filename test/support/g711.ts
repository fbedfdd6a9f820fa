import { createResampler, createWavConverter, toPcm16 } from '@svc-asr/client';
import { wrapWav } from './wav.ts';

export type PhoneEncoding = 'mulaw' | 'alaw';

const PHONE_RATE_HZ = 8000;

/** Encodes PCM (16 kHz, 16 bit) as a phone does: G.711 at 8 kHz. */
export function encodePhone(pcm: Buffer, encoding: PhoneEncoding): Buffer {
  const resampler = createResampler(16_000, PHONE_RATE_HZ);
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(at * 2) / 32_768);
  const levels = [...convert(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), encoding, 16_000)];
  const nearest = (sample: number) => {
    const distances = levels.map((level) => Math.abs(level - sample));
    return distances.indexOf(Math.min(...distances));
  };
  return Buffer.from([...toPcm16(resampler.push(samples)), ...toPcm16(resampler.end())].map(nearest));
}

/** Decodes G.711 at 8 kHz to PCM (16 kHz, 16 bit). */
export function decodePhone(audio: Buffer, encoding: PhoneEncoding): Buffer {
  const { buffer, byteOffset, byteLength } = convert(audio, encoding, PHONE_RATE_HZ);
  return Buffer.from(buffer, byteOffset, byteLength);
}

function convert(audio: Buffer, encoding: PhoneEncoding, sampleRateHz: number): Int16Array {
  const converter = createWavConverter();
  const first = converter.push(wrapWav(audio, { encoding, sampleRateHz }));
  return Int16Array.from([...first, ...converter.end().pcm]);
}
