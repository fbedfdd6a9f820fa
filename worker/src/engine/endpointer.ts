import { PauseFinder } from '../decode/pauses.ts';
import { saveSearch } from './search.ts';
import type { Search } from './search.ts';

/** Endpointing options of a stream. */
export interface Endpointing {
  /** Duration of the silence that ends an utterance. It counts from the last speech. */
  readonly silenceMs: number;
  /** Sample before which the first utterance is not cut, because the client has already received text up to there. */
  readonly notBefore: number;
}

/**
 * Decides where the utterances of a stream are cut. An utterance that has a word is cut when `silenceMs`, rounded up to
 * whole frames, has passed after the last frame that is not blank. All backends use this rule. The cuts do not depend on
 * how the audio is split into writes.
 */
export class Endpointer {
  readonly #silentFrames: number;
  readonly #frameSamples: number;
  #notBefore: number;
  #search: Search | undefined;
  #restore: () => void = () => undefined;

  constructor({ silenceMs, notBefore }: Endpointing, frame: { ms: number; samples: number }) {
    this.#silentFrames = Math.ceil(silenceMs / frame.ms);
    this.#frameSamples = frame.samples;
    this.#notBefore = Math.ceil(notBefore / frame.samples);
  }

  /** Call when an utterance starts, with its search. */
  start(search: Search): void {
    search.transcript.pauses = new PauseFinder(this.#silentFrames, this.#notBefore);
    this.#notBefore = 0;
    this.#search = search;
    this.save();
  }

  /** Saves the search before the next window. */
  save(): void {
    if (this.#search !== undefined) this.#restore = saveSearch(this.#search);
  }

  /**
   * Returns the number of samples in the utterance before its cut. Undefined if its first `frames` frames contain no
   * cut.
   */
  find(frames: number): number | undefined {
    const frame = this.#search?.transcript.pauses?.find(frames);
    return frame === undefined ? undefined : frame * this.#frameSamples;
  }

  /** Restores the search to its state before the last window. */
  rewind(): void {
    this.#restore();
  }
}
