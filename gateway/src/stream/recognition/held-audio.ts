import { AUDIO } from '@svc-asr/core';

/**
 * Size of a block: two seconds of audio. Frames may be tiny, and a buffer for each frame would cost far more than its
 * bytes.
 */
const BLOCK_BYTES = 65_536;

/** Audio in order of arrival, kept for a replay. */
export class HeldAudio {
  readonly #blocks: Buffer[] = [];
  /** Last block, which is being filled. */
  #block = Buffer.alloc(0);
  #bytes = 0;

  get samples(): number {
    return this.#bytes / AUDIO.bytesPerSample;
  }

  /** Copies a frame of whole samples. */
  append(pcm: Buffer): void {
    for (let at = 0; at < pcm.length;) {
      const offset = this.#bytes % BLOCK_BYTES;
      if (offset === 0) this.#blocks.push((this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)));
      const copied = pcm.copy(this.#block, offset, at);
      at += copied;
      this.#bytes += copied;
    }
  }

  /** Returns the audio from a sample on, one piece for each block. Later calls of `append` do not change a piece. */
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
