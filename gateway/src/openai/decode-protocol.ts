/** Exit codes of a decoder that cannot use a file. Its standard error has the reason. */
export const EXIT_CODES = { unsupported: 2, damaged: 3, tooLong: 4, tooMuchMemory: 5 } as const;

/** Bytes before the samples: their number. */
export const HEAD_BYTES = 8;

export function buildHead(samples: number): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleLE(samples);
  return head;
}

export function parseHead(head: Buffer): number {
  return head.readDoubleLE();
}
