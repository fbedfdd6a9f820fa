/**
 * Finds the first long pause of an utterance: a run of blank frames after a word. The search reports frames that are not
 * blank in order.
 */
export class PauseFinder {
  readonly #silentFrames: number;
  readonly #notBefore: number;
  /** Last frame that is not blank, once there is a word. */
  #lastSpeech: number | undefined;
  #end: number | undefined;

  /** A pause has `silentFrames` blank frames. It does not end before frame `notBefore`. */
  constructor(silentFrames: number, notBefore = 0) {
    this.#silentFrames = silentFrames;
    this.#notBefore = notBefore;
  }

  /** Records a frame that is not blank. Until there is a word, it cannot start a pause. */
  record(frame: number, hasWord: boolean): void {
    this.#check(frame);
    if (hasWord) this.#lastSpeech = frame;
  }

  /** Returns the first frame after the pause. Undefined if none of the first `frames` frames completes one. */
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
