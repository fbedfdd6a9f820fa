import { AUDIO, MAX_AUDIO_SECONDS } from '@svc-asr/core';

const BYTES_PER_MS = (AUDIO.sampleRateHz * AUDIO.bytesPerSample) / 1000;
const MAX_SHARE_BYTES = MAX_AUDIO_SECONDS * 1000 * BYTES_PER_MS;

/** What one stream may take of the budget. */
export interface AudioShare {
  /** It is known now how much the session has reserved. */
  narrow: (reservedMs: number) => void;
  release: () => void;
}

/**
 * Memory for audio that may have to be replayed. A share is taken before a handshake is looked at, for as much as any
 * session reserves: how much this one has is known only when its credential is consumed, and others come meanwhile.
 */
export class AudioBudget {
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get inUse(): boolean {
    return this.#heldBytes > 0;
  }

  /** undefined: there may not be room for one more. */
  take(): AudioShare | undefined {
    if (this.#heldBytes + MAX_SHARE_BYTES > this.#limitBytes) return undefined;
    let shareBytes = 0;
    const hold = (bytes: number) => {
      this.#heldBytes += bytes - shareBytes;
      shareBytes = bytes;
    };
    hold(MAX_SHARE_BYTES);
    return { narrow: (reservedMs) => hold(reservedMs * BYTES_PER_MS), release: () => hold(0) };
  }
}
