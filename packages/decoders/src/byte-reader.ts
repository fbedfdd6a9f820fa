const EMPTY = new Uint8Array(0);

/** Reads a file that arrives in pieces of any size. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Uint8Array = EMPTY;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Returns the next bytes without removing them from the reader. Returns fewer bytes at the end of the file. */
  async peek(bytes: number): Promise<Uint8Array> {
    const parts = [this.#held];
    let length = this.#held.length;
    while (length < bytes) {
      const next = await this.#pieces.next();
      if (next.done === true) break;
      parts.push(next.value);
      length += next.value.length;
    }
    // Copies the bytes only once, however small the pieces are.
    if (parts.length > 1) this.#held = concat(parts, length);
    return this.#held.subarray(0, bytes);
  }

  /** Removes and returns the next bytes. Returns fewer bytes at the end of the file. */
  async read(bytes: number): Promise<Uint8Array> {
    const result = await this.peek(bytes);
    this.#held = this.#held.subarray(result.length);
    return result;
  }

  /** Drops the next bytes. Returns whether the file had all of them. */
  async skip(bytes: number): Promise<boolean> {
    let left = bytes;
    while (left > 0) {
      const { length } = await this.read(Math.min(left, 65_536));
      if (length === 0) return false;
      left -= length;
    }
    return true;
  }

  /** Removes and returns all remaining bytes, in pieces of at most this size. */
  async *rest(maxBytes: number): AsyncGenerator<Uint8Array> {
    while ((await this.peek(1)).length > 0) {
      yield await this.read(Math.min(this.#held.length, maxBytes));
    }
  }
}

export function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
