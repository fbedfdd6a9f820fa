import type { Candidate } from './candidates.ts';
import type { Transcript } from './pieces.ts';

/**
 * Greedy transducer search of one stream whose steps run on a device. The state of its predictor stays there. Only the
 * pieces arrive here.
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

  /** Last piece. The blank at the start of an utterance. */
  get token(): number {
    return this.#token;
  }

  /** Adds a piece that a frame of the current chunk has produced. `candidatesOf` returns its candidates. */
  add(piece: number, frame: number, candidatesOf: (count: number) => readonly Candidate[]): void {
    this.#transcript.add(piece, this.#frameBase + frame, candidatesOf);
    this.#token = piece;
  }

  /**
   * Returns a function that restores the present state. The transcript is restored by itself, and the device keeps the
   * state of the predictor before each window.
   */
  save(): () => void {
    const [token, frameBase] = [this.#token, this.#frameBase];
    return () => {
      this.#token = token;
      this.#frameBase = frameBase;
    };
  }

  /** Ends a chunk of this many encoder frames. */
  endChunk(frames: number): void {
    this.#frameBase += frames;
  }
}
