import type { Scratch } from '../../model/scratch.ts';

/** Sizes of the caches of a stream, in floats. */
export interface CacheSizes {
  readonly channel: number;
  readonly time: number;
  /** Features at the end of a window. The next window starts with these features. */
  readonly history: number;
}

/** Encoder caches and feature histories of all slots. The memory is allocated once. */
export class CachePool {
  readonly #channelSize: number;
  readonly #timeSize: number;
  readonly #channel: Float32Array;
  readonly #time: Float32Array;
  readonly #filled: BigInt64Array;
  readonly #histories: Float32Array[];

  constructor(slots: number, { channel, time, history }: CacheSizes) {
    this.#channelSize = channel;
    this.#timeSize = time;
    this.#channel = new Float32Array(slots * channel);
    this.#time = new Float32Array(slots * time);
    this.#filled = new BigInt64Array(slots);
    this.#histories = Array.from({ length: slots }, () => new Float32Array(history));
  }

  /** Returns the features at the end of a slot's previous window. */
  historyOf(slot: number): Float32Array {
    const history = this.#histories[slot];
    if (history === undefined) throw new RangeError(`there is no slot ${slot}`);
    return history;
  }

  /**
   * Copies the caches of a slot to place `i` of the batch. If `fresh` is true, an utterance starts. Zeros are then
   * written instead, because the slot may still contain the caches of an earlier utterance.
   */
  load(slot: number, scratch: Scratch, i: number, fresh: boolean): void {
    const [channel, time] = [this.#channelSize, this.#timeSize];
    if (fresh) {
      scratch.channel.fill(0, i * channel, (i + 1) * channel);
      scratch.time.fill(0, i * time, (i + 1) * time);
      scratch.filled[i] = 0n;
      return;
    }
    scratch.channel.set(this.#channel.subarray(slot * channel, (slot + 1) * channel), i * channel);
    scratch.time.set(this.#time.subarray(slot * time, (slot + 1) * time), i * time);
    scratch.filled[i] = this.#filled[slot] ?? 0n;
  }

  /** Stores the caches that the run has written to place `i` of the batch. */
  save(slot: number, scratch: Scratch, i: number): void {
    const [channel, time] = [this.#channelSize, this.#timeSize];
    this.#channel.set(scratch.channelNext.subarray(i * channel, (i + 1) * channel), slot * channel);
    this.#time.set(scratch.timeNext.subarray(i * time, (i + 1) * time), slot * time);
    this.#filled[slot] = scratch.filledNext[i] ?? 0n;
  }
}
