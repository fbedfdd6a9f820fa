import type { AudioShare } from '../../stream/audio-memory/audio-budget.ts';

/** Memory for the audio that a connection holds while no stream can receive it. */
export class HeldMemory {
  readonly #take: () => AudioShare | undefined;
  readonly #audioMs: number;
  #share: AudioShare | undefined;

  /** `audioMs` is the audio that the connection may hold. */
  constructor(take: () => AudioShare | undefined, audioMs: number) {
    this.#take = take;
    this.#audioMs = audioMs;
  }

  /** Takes the memory unless it was taken. Returns false if there is none. */
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
