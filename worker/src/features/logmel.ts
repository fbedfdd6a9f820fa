/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are in range by construction; a check for each access would slow down the inner loops */
import { AUDIO } from '@svc-asr/core';
import { FrameKernel, HOP_SAMPLES, KERNEL_FRAMES, SPECTRUM_BINS, WINDOW_SAMPLES } from './kernel.ts';
import { buildMelFilters } from './mel.ts';

export { HOP_SAMPLES } from './kernel.ts';
/** Sample rate of all models. */
export const SAMPLE_RATE_HZ = AUDIO.sampleRateHz;
/**
 * Number of samples that a frame covers on either side of its center. Frame t covers the samples from 160 t -
 * REACH_SAMPLES to 160 t + REACH_SAMPLES - 1.
 */
export const REACH_SAMPLES = WINDOW_SAMPLES / 2;
const PRE_EMPHASIS = 0.97;
/** Factor that scales 16-bit samples to ±1. */
const SAMPLE_SCALE = 1 / 32_768;

/** A ring buffer of PCM samples. Sample n of a stream is at index `base + (n & mask)`. */
export interface SampleRing {
  readonly samples: Int16Array;
  readonly base: number;
  readonly mask: number;
}

/** Matrix to which features are written. The value of mel filter m in column c is at `offset + m * stride + c`. */
export interface FeatureMatrix {
  readonly values: Float32Array;
  readonly offset: number;
  readonly stride: number;
}

/**
 * Computes log-mel features in the same way as NeMo, directly from the ring and without allocation. It keeps no state
 * between frames, because the ring still contains the one earlier sample that pre-emphasis needs.
 */
export class LogMel {
  readonly mels: number;
  readonly #kernel: FrameKernel;

  constructor(mels: number) {
    this.mels = mels;
    this.#kernel = new FrameKernel(buildMelFilters(mels, SPECTRUM_BINS, SAMPLE_RATE_HZ), SAMPLE_SCALE);
  }

  /**
   * Computes `count` frames of an utterance, starting with frame `t`, and writes them to the first columns of a matrix.
   * The utterance consists of the samples [start, end) of the ring. Samples outside the utterance count as silence.
   */
  frames(ring: SampleRing, start: number, end: number, t: number, count: number, out: FeatureMatrix): void {
    const { values, offset, stride } = out;
    const { output } = this.#kernel;
    for (let done = 0; done < count; done += KERNEL_FRAMES) {
      const width = Math.min(KERNEL_FRAMES, count - done);
      const samples = WINDOW_SAMPLES + (width - 1) * HOP_SAMPLES;
      this.#emphasize(ring, start, end, start + (t + done) * HOP_SAMPLES - REACH_SAMPLES, samples);
      this.#kernel.run();
      for (let m = 0, from = 0, to = offset + done; m < this.mels; m++, from += KERNEL_FRAMES, to += stride) {
        for (let c = 0; c < width; c++) values[to + c] = output[from + c]!;
      }
    }
  }

  /** Writes `count` pre-emphasized samples, starting with sample `from`, to the input of the kernel. */
  #emphasize(ring: SampleRing, start: number, end: number, from: number, count: number): void {
    const { samples, base, mask } = ring;
    const input = this.#kernel.samples;
    const first = Math.min(count, Math.max(0, start - from));
    const past = Math.min(count, Math.max(first, end - from));
    input.fill(0, 0, first);
    input.fill(0, past, count);
    let before = from + first > start ? samples[base + ((from + first - 1) & mask)]! : 0;
    for (let i = first; i < past; i++) {
      const now = samples[base + ((from + i) & mask)]!;
      input[i] = now - PRE_EMPHASIS * before;
      before = now;
    }
  }
}
