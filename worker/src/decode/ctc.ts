import { argmax } from './argmax.ts';
import type { Transcript } from './pieces.ts';

/** Greedy CTC over a stream: the best class of each frame, repeats and blanks left out, across chunks too. */
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

  /** Takes `frames` rows of log-probabilities that start at `from`. */
  decode(logprobs: Float32Array, from: number, frames: number): void {
    const classes = this.#blank + 1;
    for (let row = 0; row < frames; row++, this.#frame++) {
      const best = argmax(logprobs, from + row * classes, classes);
      if (best !== this.#blank && best !== this.#previous) this.#transcript.add(best, this.#frame);
      this.#previous = best;
    }
  }
}
