/** Formats that this package decodes, as error messages name them. */
export const ACCEPTED_FORMATS = 'WAV, FLAC and Ogg Opus';

export type Container = 'wav' | 'flac' | 'ogg';

/** Number of bytes to pass to `sniff`, which reads the first four of them. */
export const SNIFF_BYTES = 12;

const SIGNATURES: readonly (readonly [signature: string, container: Container])[] = [
  ['RIFF', 'wav'],
  ['RF64', 'wav'],
  ['BW64', 'wav'],
  ['fLaC', 'flac'],
  ['OggS', 'ogg'],
];

/** Detects the format by the first bytes. The name of a file may be wrong. Undefined if the format is not known. */
export function sniff(head: Uint8Array): Container | undefined {
  const text = String.fromCharCode(...head.subarray(0, 4));
  return SIGNATURES.find(([signature]) => signature === text)?.[1];
}
