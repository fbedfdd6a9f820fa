const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines. Chunks may end within a line or a character, so bytes are decoded only when a
 * line is complete. A line longer than `maxBytes` ends the stream with an error.
 */
export async function* splitLines(pieces: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string> {
  let partial: Buffer[] = [];
  let partialBytes = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      const end = piece.subarray(from, at);
      check(partialBytes + end.length, maxBytes);
      const line = Buffer.concat([...partial, end]).toString('utf8');
      partial = [];
      partialBytes = 0;
      from = at + 1;
      if (line.trim() !== '') yield line;
    }
    if (from === piece.length) continue;
    const rest = piece.subarray(from);
    partialBytes += rest.length;
    check(partialBytes, maxBytes);
    partial.push(rest);
  }
  // A last line without a newline is not returned, because it was cut off.
}

function check(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new Error(`a line is longer than ${maxBytes} bytes`);
}
