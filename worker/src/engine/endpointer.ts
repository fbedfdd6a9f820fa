import { PauseFinder } from '../decode/pauses.ts';
import { saveSearch } from './search.ts';
import type { Search } from './search.ts';

/** Endpointing of a stream. */
export interface Endpointing {
  /** Silence after a word that ends the utterance. */
  readonly silenceMs: number;
  /** Samples of the first utterance before which it is not cut, because its client has received text up to there. */
  readonly notBefore: number;
}

/**
 * Decides where the utterances of a stream are cut. Before a cut are the last frame that is not blank, and as many blank
 * frames as the silence has, rounded up. All recognizers of a model find the same cuts, however the audio arrives.
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

  /** Starts an utterance. */
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

  /** Returns the samples of the utterance before its cut. Undefined if the first `frames` frames have none. */
  find(frames: number): number | undefined {
    const frame = this.#search?.transcript.pauses?.find(frames);
    return frame === undefined ? undefined : frame * this.#frameSamples;
  }

  /** Restores the search to its state before the last window. */
  rewind(): void {
    this.#restore();
  }
}
