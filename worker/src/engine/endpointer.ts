import { PauseFinder } from '../decode/pauses.ts';
import { saveSearch } from './search.ts';
import type { Search } from './search.ts';

/** Endpointing options of a stream. */
export interface Endpointing {
  /** Duration of the silence that ends an utterance, from the end of the last speech. */
  readonly silenceMs: number;
  /** Sample before which the first utterance is not cut. The client has already received text up to this sample. */
  readonly notBefore: number;
}

/**
 * Decides where the utterances of a stream are cut. An utterance that contains a word is cut after the first pause of
 * `silenceMs`, rounded up to whole frames. The pause starts after the last frame that is not blank. All backends use
 * this rule. The cuts do not depend on how the audio is split into writes.
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

  /** Call with the search of a new utterance when the utterance starts. */
  start(search: Search): void {
    search.transcript.pauses = new PauseFinder(this.#silentFrames, this.#notBefore);
    this.#notBefore = 0;
    this.#search = search;
    this.save();
  }

  /** Saves the state of the search. Call it before each window. */
  save(): void {
    if (this.#search !== undefined) this.#restore = saveSearch(this.#search);
  }

  /**
   * Returns the number of samples from the start of the utterance to its cut. Undefined if the first `frames` frames of
   * the utterance contain no cut.
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
