import { argmax } from './argmax.ts';
import type { Transcript } from './pieces.ts';

/**
 * Greedy CTC search over a stream. It takes the best class of each frame and drops repeats and blanks, also across
 * chunks.
 */
export class GreedyCtc {
  readonly #blank: number;
  readonly #transcript: Transcript;
  #previous: number;
  #frame = 0;

  constructor(blank: number, transcript: Transcript) {
    this.#blank = blank;
    this.#transcript = transcript;
    this.#previous = blank;
  }

  /** Decodes `frames` rows of log-probabilities that start at index `from`. */
  decode(logprobs: Float32Array, from: number, frames: number): void {
    const classes = this.#blank + 1;
    for (let row = 0; row < frames; row++) this.#add(argmax(logprobs, from + row * classes, classes));
  }

  /** Decodes frames whose best classes are known. */
  decodeIds(ids: Int32Array): void {
    for (const id of ids) this.#add(id);
  }

  #add(best: number): void {
    if (best !== this.#blank && best !== this.#previous) this.#transcript.add(best, this.#frame);
    this.#previous = best;
    this.#frame++;
  }
}
