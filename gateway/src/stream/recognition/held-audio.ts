import { AUDIO } from '@svc-asr/core';

/**
 * Size of a block, which holds about two seconds of audio. Frames may be tiny. One buffer per frame would need far more
 * memory than the bytes of the frame.
 */
const BLOCK_BYTES = 65_536;

/** Audio that is kept for a replay, in order of arrival. */
export class HeldAudio {
  readonly #blocks: Buffer[] = [];
  /** Last block, to which `append` writes. */
  #block = Buffer.alloc(0);
  #bytes = 0;

  get samples(): number {
    return this.#bytes / AUDIO.bytesPerSample;
  }

  /** Appends a copy of a frame, which must consist of whole samples. */
  append(pcm: Buffer): void {
    for (let at = 0; at < pcm.length;) {
      const offset = this.#bytes % BLOCK_BYTES;
      if (offset === 0) this.#blocks.push((this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)));
      const copied = pcm.copy(this.#block, offset, at);
      at += copied;
      this.#bytes += copied;
    }
  }

  /** Returns the audio from a sample on, in one piece per block. Later calls of `append` do not change the pieces. */
  from(sample: number): Buffer[] {
    const pieces: Buffer[] = [];
    for (let at = sample * AUDIO.bytesPerSample; at < this.#bytes;) {
      const index = Math.floor(at / BLOCK_BYTES);
      const start = index * BLOCK_BYTES;
      const end = Math.min(start + BLOCK_BYTES, this.#bytes);
      const block = this.#blocks[index];
      if (block !== undefined) pieces.push(block.subarray(at - start, end - start));
      at = end;
    }
    return pieces;
  }
}
