interface Chunk {
  /** Position of the first sample. */
  at: number;
  bytes: Uint8Array<ArrayBuffer>;
}

const BYTES_PER_SAMPLE = 2;

/** PCM16 audio of a stream that may have to be sent again. Positions are samples from the start of the stream. */
export class HeldAudio {
  #chunks: Chunk[] = [];
  #end = 0;

  /** Position after the last sample. */
  get end(): number {
    return this.#end;
  }

  /** Appends whole samples. */
  append(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length === 0) return;
    this.#chunks.push({ at: this.#end, bytes });
    this.#end += bytes.length / BYTES_PER_SAMPLE;
  }

  /**
   * Returns audio from a position on, up to `until`. The result ends earlier if the chunk that contains position `from`
   * ends earlier.
   */
  read(from: number, until: number): Uint8Array<ArrayBuffer> {
    const chunk = this.#chunks.find(({ at, bytes }) => from < at + bytes.length / BYTES_PER_SAMPLE);
    if (chunk === undefined) return new Uint8Array(0);
    const start = (from - chunk.at) * BYTES_PER_SAMPLE;
    return chunk.bytes.subarray(start, (until - chunk.at) * BYTES_PER_SAMPLE);
  }

  /** Drops chunks that end at or before a position. */
  dropBefore(position: number): void {
    const kept = this.#chunks.findIndex(({ at, bytes }) => at + bytes.length / BYTES_PER_SAMPLE > position);
    this.#chunks = kept === -1 ? [] : this.#chunks.slice(kept);
  }
}
