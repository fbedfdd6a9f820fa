import type { Configuration } from '../../stream/configuration.ts';
import { isSameFormat, streamSamples } from './input-format.ts';
import type { InputFormat } from './input-format.ts';

/** Maximum size of a block into which small parts of audio are joined. */
const BLOCK_BYTES = 65_536;
const MIN_BLOCK_BYTES = 1024;

interface Audio {
  readonly type: 'audio';
  readonly bytes: Buffer;
  readonly format: InputFormat;
}

/** An operation of a client (audio, commit, clear or configuration) that was not sent to a stream yet. */
export type Operation =
  | Audio
  | { readonly type: 'flush' | 'reset' }
  | { readonly type: 'config'; readonly configuration: Configuration };

/**
 * Operations that wait to be sent to a stream, oldest first. Small parts of audio are joined, so that they take little
 * memory per byte.
 */
export class Operations {
  readonly #list: Operation[] = [];
  #audioBytes = 0;
  /**
   * Audio that the last join has returned, and the block that stores this audio. The block may have free bytes after
   * this audio.
   */
  #joined: { audio: Audio; block: Buffer } | undefined;

  get length(): number {
    return this.#list.length;
  }

  /** Number of bytes of waiting audio. */
  get audioBytes(): number {
    return this.#audioBytes;
  }

  get first(): Operation | undefined {
    return this.#list[0];
  }

  /** Type of the first waiting operation that is not audio. */
  get firstEnd(): Exclude<Operation['type'], 'audio'> | undefined {
    for (const { type } of this.#list) if (type !== 'audio') return type;
    return undefined;
  }

  get hasConfig(): boolean {
    return this.#list.some(({ type }) => type === 'config');
  }

  push(operation: Operation): void {
    const last = this.#list.at(-1);
    if (operation.type === 'audio' && last?.type === 'audio' && canJoin(last, operation)) {
      this.#list[this.#list.length - 1] = this.#join(last, operation);
    } else this.#list.push(operation);
    this.#audioBytes += bytesOf(operation);
  }

  /** Puts the unsent rest of an operation back to the front of the list. */
  unshift(operation: Operation): void {
    this.#list.unshift(operation);
    this.#audioBytes += bytesOf(operation);
  }

  shift(): Operation | undefined {
    const operation = this.#list.shift();
    if (operation !== undefined) this.#audioBytes -= bytesOf(operation);
    return operation;
  }

  clear(): void {
    this.#list.length = 0;
    this.#audioBytes = 0;
    this.#joined = undefined;
  }

  /**
   * Removes the audio at the end of the list. Call when the client clears this audio before it was sent to the stream.
   * Returns the number of removed samples, at the sample rate of streams.
   */
  dropLastAudio(): number {
    let samples = 0;
    for (let last = this.#list.at(-1); last !== undefined && 'bytes' in last; last = this.#list.at(-1)) {
      this.#list.pop();
      this.#audioBytes -= last.bytes.length;
      samples += streamSamples(last.bytes.length, last.format);
    }
    return samples;
  }

  /**
   * Joins two parts of audio. When a block is full, the next block is twice as large. The total time of copying is
   * therefore proportional to the number of bytes.
   */
  #join(first: Audio, second: Audio): Audio {
    const start = first.bytes.length;
    const end = start + second.bytes.length;
    let block = this.#joined?.audio === first ? this.#joined.block : undefined;
    if (block === undefined || block.length < end) {
      block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, 2 * end)));
      first.bytes.copy(block);
    }
    second.bytes.copy(block, start);
    const audio: Audio = { type: 'audio', bytes: block.subarray(0, end), format: first.format };
    this.#joined = { audio, block };
    return audio;
  }
}

function canJoin(first: Audio, second: Audio): boolean {
  return first.bytes.length + second.bytes.length <= BLOCK_BYTES && isSameFormat(first.format, second.format);
}

function bytesOf(operation: Operation): number {
  return 'bytes' in operation ? operation.bytes.length : 0;
}
