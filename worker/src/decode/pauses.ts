/**
 * Finds the first long pause of an utterance. A pause consists of blank frames in sequence after a word. The search
 * calls `record` for each frame that is not blank, in order.
 */
export class PauseFinder {
  readonly #silentFrames: number;
  readonly #notBefore: number;
  /** Last frame that is not blank. Undefined before the first word. */
  #lastSpeech: number | undefined;
  #end: number | undefined;

  /** A pause is long if it has at least `silentFrames` blank frames and lasts at least until frame `notBefore`. */
  constructor(silentFrames: number, notBefore = 0) {
    this.#silentFrames = silentFrames;
    this.#notBefore = notBefore;
  }

  /**
   * Records a frame that is not blank. `hasWord` is true if the utterance contains a word up to this frame. A pause
   * cannot start before the first word.
   */
  record(frame: number, hasWord: boolean): void {
    this.#check(frame);
    if (hasWord) this.#lastSpeech = frame;
  }

  /** Returns the first frame after the pause. Undefined if the first `frames` frames contain no complete pause. */
  find(frames: number): number | undefined {
    this.#check(frames);
    return this.#end;
  }

  #check(until: number): void {
    if (this.#end !== undefined || this.#lastSpeech === undefined) return;
    const end = Math.max(this.#lastSpeech + 1 + this.#silentFrames, this.#notBefore);
    if (end <= until) this.#end = end;
  }
}
