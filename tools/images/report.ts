import type { BuiltImage } from './build.ts';

/** A line about an image: what it weighs, as a registry has it and unpacked, and what that consists of. */
export function describeImage({ reference, platform, layers }: BuiltImage): string {
  const packed = layers.reduce((total, { bytes }) => total + bytes, 0);
  const unpacked = layers.reduce((total, { unpackedBytes }) => total + unpackedBytes, 0);
  const parts = layers.map(({ name, bytes }) => `${name} ${megabytes(bytes)}`).join(', ');
  return `${reference} ${platform}: ${megabytes(packed)} MB packed, ${megabytes(unpacked)} MB unpacked (${parts})`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
