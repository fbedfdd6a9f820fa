/**
 * Exit codes of a decoder that cannot use a file. For unsupported and damaged files, the decoder also writes the reason
 * to its standard error.
 */
export const EXIT_CODES = { unsupported: 2, damaged: 3, tooLong: 4, tooMuchMemory: 5 } as const;

/**
 * Size of the head of the output, in bytes. The head contains the number of samples. The samples follow after the head.
 */
export const HEAD_BYTES = 8;

export function buildHead(samples: number): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleLE(samples);
  return head;
}

export function parseHead(head: Buffer): number {
  return head.readDoubleLE();
}
