import { AUDIO, MAX_AUDIO_SECONDS } from '@svc-asr/core';

const BYTES_PER_MS = (AUDIO.sampleRateHz * AUDIO.bytesPerSample) / 1000;
const MAX_SHARE_BYTES = MAX_AUDIO_SECONDS * 1000 * BYTES_PER_MS;

/** Part of the budget that one stream may use. */
export interface AudioShare {
  /**
   * Changes the size of the share to the memory that this much audio needs. Returns false if there is not enough
   * memory, or after `release`. Before `release`, a reduction always succeeds.
   */
  resize: (audioMs: number) => boolean;
  /** Returns the memory of the share to the budget. The share cannot be used afterwards. */
  release: () => void;
}

/** A share whose size can be read. */
export interface SizedShare extends AudioShare {
  /** Audio for which the share has memory, in milliseconds. 0 after `release`. */
  readonly audioMs: number;
}

/**
 * Memory for audio that may have to be replayed. A handshake first takes a share for the longest possible session,
 * because the actual length is known only after the credential is consumed. Handshakes that arrive in the meantime then
 * cannot take this memory.
 */
export class AudioBudget {
  readonly limitBytes: number;
  #heldBytes = 0;
  #closed = false;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get inUse(): boolean {
    return this.#heldBytes > 0;
  }

  /** Number of further streams for which there is memory, each with the longest possible session. 0 after `close`. */
  get freeStreams(): number {
    return this.#closed ? 0 : Math.max(0, Math.floor((this.limitBytes - this.#heldBytes) / MAX_SHARE_BYTES));
  }

  /**
   * Takes a share of the memory that is large enough for the longest possible session. Returns undefined if there is
   * not enough memory, or after `close`.
   */
  take(): SizedShare | undefined {
    if (this.freeStreams === 0) return undefined;
    let [shareBytes, isReleased] = [0, false];
    const hold = (bytes: number) => {
      const more = bytes - shareBytes;
      if (isReleased || (more > 0 && this.#heldBytes + more > this.limitBytes)) return false;
      this.#heldBytes += more;
      shareBytes = bytes;
      return true;
    };
    hold(MAX_SHARE_BYTES);
    const release = () => {
      hold(0);
      isReleased = true;
    };
    return {
      get audioMs() {
        return shareBytes / BYTES_PER_MS;
      },
      resize: (audioMs) => hold(audioMs * BYTES_PER_MS),
      release,
    };
  }

  /** Refuses further shares. Call when the gateway drains. */
  close(): void {
    this.#closed = true;
  }
}
