import { argmax } from './argmax.ts';
import { bestCandidates, bestLogProb } from './candidates.ts';
import type { Candidate } from './candidates.ts';
import type { Transcript } from './pieces.ts';

/**
 * Greedy CTC search over a stream. It uses the best class of each frame and drops blanks and repeated classes. A repeat
 * at the start of a chunk is dropped too.
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
    for (let row = 0; row < frames; row++) {
      const at = from + row * classes;
      const best = argmax(logprobs, at, classes);
      const frame = this.#frame;
      if (this.#advance(best)) {
        const logProb = bestLogProb(logprobs, at, classes, best);
        this.#transcript.add(best, frame, logProb, (count) => bestCandidates(logprobs, at, classes, count));
      }
    }
  }

  /**
   * Decodes frames from the best class of each frame (`ids`) and the log-probability of this class. `candidatesOf`
   * returns the `count` best classes of a frame.
   */
  decodeIds(
    ids: Int32Array,
    logProbs: Float32Array,
    candidatesOf: (index: number, count: number) => readonly Candidate[],
  ): void {
    for (const [index, id] of ids.entries()) {
      const frame = this.#frame;
      if (!this.#advance(id)) continue;
      this.#transcript.add(id, frame, logProbs[index] ?? NaN, (count) => candidatesOf(index, count));
    }
  }

  /**
   * Returns a function that restores the present state of the search. That function does not restore the transcript,
   * because `saveSearch` in engine/search.ts, which calls this method, saves the transcript separately.
   */
  save(): () => void {
    const [previous, frame] = [this.#previous, this.#frame];
    return () => {
      this.#previous = previous;
      this.#frame = frame;
    };
  }

  /** Moves to the next frame. Returns whether the best class of the current frame is a new piece. */
  #advance(best: number): boolean {
    const isNew = best !== this.#blank && best !== this.#previous;
    if (best !== this.#blank && !isNew) this.#transcript.extend(this.#frame);
    this.#previous = best;
    this.#frame++;
    return isNew;
  }
}
