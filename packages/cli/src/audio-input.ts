import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';

/** Bytes of a file or of standard input. They can be read again from the start until `keep` is called. */
export class AudioInput {
  /** Name for messages. */
  readonly name: string;
  /** Path of the file. Undefined for standard input. */
  readonly path: string | undefined;
  readonly #stream: Readable;
  readonly #bytes: AsyncIterator<Uint8Array, undefined>;
  #read: Uint8Array[] = [];
  #replayed: Uint8Array[] = [];
  #isRecording = true;

  /** `file` is a path, or `-` for standard input. */
  constructor(file: string, cwd: string, stdin: Readable) {
    const isStdin = file === '-';
    this.name = isStdin ? 'standard input' : file;
    this.path = isStdin ? undefined : resolve(cwd, file);
    this.#stream = this.path === undefined ? stdin : createReadStream(this.path);
    this.#bytes = this.#stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  }

  /** Returns the next bytes. Undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const replayed = this.#replayed.shift();
    const bytes = replayed ?? (await this.#fromStream());
    if (bytes !== undefined && this.#isRecording) this.#read.push(bytes);
    return bytes;
  }

  /** Starts again with the first byte. */
  rewind(): void {
    this.#replayed = [...this.#read, ...this.#replayed];
    this.#read = [];
  }

  /** Call when `rewind` is not needed any more. The bytes that are read are then no longer stored. */
  keep(): void {
    this.#isRecording = false;
    this.#read = [];
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    for (let bytes = await this.next(); bytes !== undefined; bytes = await this.next()) yield bytes;
  }

  /** Ends the input. A pending read rejects. */
  destroy(): void {
    this.#stream.destroy();
  }

  async #fromStream(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#bytes.next();
    return done === true ? undefined : value;
  }
}
