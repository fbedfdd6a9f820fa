import { createResampler, createWavConverter, toPcm16 } from '@svc-asr/client';
import { AUDIO } from '@svc-asr/core';
import { wrapWav } from '../../test/support/wav.ts';

const PHONE_RATE_HZ = 8000;
const BIAS = 132;
const LOUDEST = 32_767 - BIAS;

/** Encodes PCM (16 kHz, 16 bit) as a phone does: mu-law at 8 kHz. */
export function encodePhone(pcm: Buffer): Buffer {
  const resampler = createResampler(AUDIO.sampleRateHz, PHONE_RATE_HZ);
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(at * 2) / 32_768);
  const narrow = [...toPcm16(resampler.push(samples)), ...toPcm16(resampler.end())];
  return Buffer.from(narrow.map(encodeMulaw));
}

/** Decodes mu-law at 8 kHz to PCM (16 kHz, 16 bit). */
export function decodePhone(mulaw: Buffer): Buffer {
  const converter = createWavConverter();
  const parts = [
    converter.push(wrapWav(mulaw, { encoding: 'mulaw', sampleRateHz: PHONE_RATE_HZ })),
    converter.end().pcm,
  ];
  return Buffer.concat(parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)));
}

/** Returns the seconds of mu-law audio. */
export function phoneSeconds(mulaw: Buffer): number {
  return mulaw.length / PHONE_RATE_HZ;
}

/** Encodes a sample by ITU-T G.711: sign, exponent and mantissa, all bits inverted. */
function encodeMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), LOUDEST) + BIAS;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 15;
  return ~((sample < 0 ? 128 : 0) | (exponent << 4) | mantissa) & 255;
}
