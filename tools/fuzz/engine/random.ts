/** Pseudorandom numbers that depend only on a seed (mulberry32), so that every run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }

  /** Returns a random element. The list must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}
