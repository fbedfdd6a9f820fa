import type { AudioShare } from '../../stream/audio-memory/audio-budget.ts';

/** Share of the audio memory for the audio that a connection holds while no stream can receive it. */
export class HeldMemory {
  readonly #take: () => AudioShare | undefined;
  readonly #audioMs: number;
  #share: AudioShare | undefined;

  /** `audioMs` is the maximum duration of the audio that the connection may hold. */
  constructor(take: () => AudioShare | undefined, audioMs: number) {
    this.#take = take;
    this.#audioMs = audioMs;
  }

  /** Takes the share, unless it was taken before. Returns false if there is no memory. */
  hold(): boolean {
    if (this.#share !== undefined) return true;
    this.#share = this.#take();
    this.#share?.resize(this.#audioMs);
    return this.#share !== undefined;
  }

  release(): void {
    this.#share?.release();
    this.#share = undefined;
  }
}
