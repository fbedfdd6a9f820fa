/** Linear value in [-1, 1) of every A-law byte, as ITU-T G.711 defines it. */
export const ALAW = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = byte ^ 0x55;
  const [exponent, mantissa] = [(bits >> 4) & 7, bits & 15];
  const magnitude = exponent === 0 ? (mantissa << 4) + 8 : ((mantissa << 4) + 0x108) << (exponent - 1);
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 32_768;
});

/** Linear value in [-1, 1) of every mu-law byte, as ITU-T G.711 defines it. */
export const MULAW = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte & 0xff;
  const [exponent, mantissa] = [(bits >> 4) & 7, bits & 15];
  const magnitude = (((mantissa << 3) + 0x84) << exponent) - 0x84;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 32_768;
});
