import type { Candidate } from './candidates.ts';
import type { Transcript } from './pieces.ts';

/**
 * Greedy transducer search of one stream, whose steps run on a device. The predictor state stays on the device, and
 * only the pieces are copied to this process.
 */
export class DeviceRnnt {
  readonly #transcript: Transcript;
  #token: number;
  /** Number of encoder frames in earlier chunks. */
  #frameBase = 0;

  constructor(blank: number, transcript: Transcript) {
    this.#token = blank;
    this.#transcript = transcript;
  }

  /** Last piece of the utterance. Before the first piece, it is the blank. */
  get token(): number {
    return this.#token;
  }

  /**
   * Adds a piece that a frame of the current chunk has produced, with its log-probability. `candidatesOf` returns the
   * candidates of this piece.
   */
  add(piece: number, frame: number, logProb: number, candidatesOf: (count: number) => readonly Candidate[]): void {
    this.#transcript.add(piece, this.#frameBase + frame, logProb, candidatesOf);
    this.#token = piece;
  }

  /**
   * Returns a function that restores the present state of the search. That function does not restore the transcript,
   * because `saveSearch` in engine/search.ts, which calls this method, saves the transcript separately. The predictor
   * state before each window is still on the device.
   */
  save(): () => void {
    const [token, frameBase] = [this.#token, this.#frameBase];
    return () => {
      this.#token = token;
      this.#frameBase = frameBase;
    };
  }

  /** Call at the end of a chunk with its number of encoder frames. */
  endChunk(frames: number): void {
    this.#frameBase += frames;
  }
}
