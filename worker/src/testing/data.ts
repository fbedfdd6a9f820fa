import { readFileSync } from 'node:fs';

/** Folder of the golden data: a small exported model with random weights, and the results of NeMo for it. */
export const goldenFolder = new URL('../../test/golden/', import.meta.url).pathname;
/** Folder of the bundled models. */
export const modelsFolder = new URL('../../models/', import.meta.url).pathname;

/** Reads the samples of a 16-bit mono WAV file. */
export function readWav(path: string): Int16Array {
  const bytes = readFileSync(path);
  let at = 12;
  while (bytes.toString('latin1', at, at + 4) !== 'data') at += 8 + bytes.readUInt32LE(at + 4);
  const length = Math.min(bytes.readUInt32LE(at + 4), bytes.length - at - 8);
  return Int16Array.from({ length: length >> 1 }, (_, i) => bytes.readInt16LE(at + 8 + i * 2));
}

/** Reads the values and the shape of a NumPy file of 32-bit floats. */
export function readNpy(path: string): { shape: number[]; data: Float32Array } {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, start);
  const shape = (/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? '')
    .split(',')
    .map(Number)
    .filter((n) => n > 0);
  const count = shape.reduce((product, n) => product * n, 1);
  return { shape, data: Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(start + i * 4)) };
}
