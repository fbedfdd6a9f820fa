import type { Configuration } from '../../stream/configuration.ts';
import type { InputFormat } from './input-format.ts';

/** A step of a client that the recognizer has not sent to its stream yet. */
export type Operation =
  | { readonly type: 'audio'; readonly bytes: Buffer; readonly format: InputFormat }
  | { readonly type: 'flush' | 'reset' }
  | { readonly type: 'config'; readonly configuration: Configuration };

/** The steps that wait, oldest first. */
export class Operations {
  readonly #list: Operation[] = [];
  #audioBytes = 0;

  get length(): number {
    return this.#list.length;
  }

  /** Bytes of the audio that waits. */
  get audioBytes(): number {
    return this.#audioBytes;
  }

  push(operation: Operation): void {
    this.#list.push(operation);
    this.#audioBytes += bytesOf(operation);
  }

  /** Puts the rest of a step back. */
  unshift(operation: Operation): void {
    this.#list.unshift(operation);
    this.#audioBytes += bytesOf(operation);
  }

  shift(): Operation | undefined {
    const operation = this.#list.shift();
    if (operation !== undefined) this.#audioBytes -= bytesOf(operation);
    return operation;
  }

  /** Removes the audio at the end, which the client has cleared before it was sent. */
  dropLastAudio(): void {
    for (let last = this.#list.at(-1); last !== undefined && 'bytes' in last; last = this.#list.at(-1)) {
      this.#list.pop();
      this.#audioBytes -= last.bytes.length;
    }
  }
}

function bytesOf(operation: Operation): number {
  return 'bytes' in operation ? operation.bytes.length : 0;
}
