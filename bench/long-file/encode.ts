import { createResampler } from '@svc-asr/client';
import { AUDIO, FILE_LIMITS } from '@svc-asr/core';
import { wrapWav } from '../../test/support/wav.ts';

const HEADER_BYTES = 1024;
const BIAS = 132;
const CLIP = 32_635;

/** Encodes a sample (16 bit) as G.711 mu-law. */
export function encodeMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

/** Builds a WAV file that the service accepts: 16 bit if that is small enough, otherwise mu-law at a lower rate. */
export function buildFile(pcm: Buffer): Uint8Array {
  if (pcm.length + HEADER_BYTES <= FILE_LIMITS.maxBytes) return wrapWav(pcm);
  const seconds = pcm.length / AUDIO.bytesPerSample / AUDIO.sampleRateHz;
  const sampleRateHz = Math.floor((FILE_LIMITS.maxBytes - HEADER_BYTES) / seconds / 100) * 100;
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / AUDIO.bytesPerSample);
  const resampler = createResampler(AUDIO.sampleRateHz, sampleRateHz);
  const output = [resampler.push(Float32Array.from(samples, (sample) => sample / 32_768)), resampler.end()];
  const bytes = output.map((part) => Uint8Array.from(part, (sample) => encodeMulaw(Math.round(sample * 32_767))));
  return wrapWav(Buffer.concat(bytes), { encoding: 'mulaw', sampleRateHz });
}
