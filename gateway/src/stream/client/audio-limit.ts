import { samplesOf } from '@svc-asr/core';
import type { Extension, StreamSession } from '../session.ts';
import { meter } from './meter.ts';
import type { Metered } from './meter.ts';

/** Limit of the audio that a stream may use. If the stream has a chain, the chain extends the limit. */
export class AudioLimit {
  /** True while the chain reserves further audio. */
  isExtending = false;
  readonly #chain: StreamSession['chain'];
  #samples: number;

  constructor({ reservedMs, chain }: Pick<StreamSession, 'reservedMs' | 'chain'>) {
    this.#samples = samplesOf(reservedMs / 1000);
    this.#chain = chain;
  }

  get canExtend(): boolean {
    return this.#chain !== undefined;
  }

  /** Returns the part of a frame that is within the limit. */
  meter(frame: Buffer, acceptedSamples: number): Metered {
    return meter(frame, acceptedSamples, this.#samples);
  }

  /** Reserves further audio and raises the limit. See `StreamChain.extend`. */
  async extend(heldSamples: () => number): Promise<Extension> {
    this.isExtending = true;
    const extension = (await this.#chain?.extend(heldSamples)) ?? { outcome: 'credit' };
    this.isExtending = false;
    if (extension.outcome === 'ok') this.#samples += samplesOf(extension.ms / 1000);
    return extension;
  }
}
