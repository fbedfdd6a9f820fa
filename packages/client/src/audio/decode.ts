import type { SampleEncoding, WavFormat } from './wav-format.ts';

/** Linear value in [-1, 1) of every A-law byte, as ITU-T G.711 defines it. */
const ALAW = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = byte ^ 0x55;
  const [exponent, mantissa] = [(bits >> 4) & 7, bits & 15];
  const magnitude = exponent === 0 ? (mantissa << 4) + 8 : ((mantissa << 4) + 0x108) << (exponent - 1);
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 32_768;
});

/** Linear value in [-1, 1) of every mu-law byte, as ITU-T G.711 defines it. */
const MULAW = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte & 0xff;
  const [exponent, mantissa] = [(bits >> 4) & 7, bits & 15];
  const magnitude = (((mantissa << 3) + 0x84) << exponent) - 0x84;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 32_768;
});

/** Reads one sample. The value is in [-1, 1], except for floats, which may be larger. */
type ReadSample = (view: DataView, at: number) => number;

const READERS: Readonly<Record<SampleEncoding, ReadSample>> = {
  unsigned8: (view, at) => (view.getUint8(at) - 128) / 128,
  int16: (view, at) => view.getInt16(at, true) / 32_768,
  int24: (view, at) => (view.getUint8(at) | (view.getInt16(at + 1, true) << 8)) / 8_388_608,
  int32: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  float32: (view, at) => finite(view.getFloat32(at, true)),
  float64: (view, at) => finite(view.getFloat64(at, true)),
  alaw: (view, at) => ALAW[view.getUint8(at)] ?? 0,
  mulaw: (view, at) => MULAW[view.getUint8(at)] ?? 0,
};

/** Replaces values that are not finite. The resampler would spread them over all neighbouring samples. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Decodes whole frames and mixes their channels. The mean of the channels cannot clip. */
export function decodeMono(bytes: Uint8Array, { encoding, channels, bytesPerFrame }: WavFormat): Float32Array {
  const read = READERS[encoding];
  const width = bytesPerFrame / channels;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const mono = new Float32Array(Math.floor(bytes.length / bytesPerFrame));
  for (let frame = 0; frame < mono.length; frame++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += read(view, frame * bytesPerFrame + channel * width);
    mono[frame] = sum / channels;
  }
  return mono;
}
