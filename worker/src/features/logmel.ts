/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are in range by construction; a check per access would cost in the inner loops */
import { AUDIO } from '@svc-asr/core/stream';
import { FFT_SIZE, PowerSpectrum, SPECTRUM_BINS } from './fft.ts';
import { buildMelFilters } from './mel.ts';
import type { MelFilters } from './mel.ts';

/** Sample rate of all models. */
export const SAMPLE_RATE_HZ = AUDIO.sampleRateHz;
/** Samples from one feature frame to the next. */
export const HOP_SAMPLES = 160;
const WINDOW_SAMPLES = 400;
/** Frame t covers the samples from 160 t - REACH_SAMPLES to 160 t + REACH_SAMPLES - 1. */
export const REACH_SAMPLES = WINDOW_SAMPLES / 2;
const PRE_EMPHASIS = 0.97;
const FLOOR = 2 ** -24;
const PADDING = (FFT_SIZE - WINDOW_SAMPLES) / 2;

/** A ring buffer of PCM samples. Sample n of a stream is at index `base + (n & mask)`. */
export interface SampleRing {
  readonly samples: Int16Array;
  readonly base: number;
  readonly mask: number;
}

/** Symmetric Hann window, multiplied by the factor that scales 16-bit samples to ±1. */
const hann = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => Math.fround(0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (WINDOW_SAMPLES - 1))) / 32_768,
);

/**
 * Computes log-mel features like NeMo, one frame per call, directly from the ring and without allocation. It has no
 * state between frames, because the one earlier sample that pre-emphasis needs is still in the ring.
 */
export class LogMel {
  readonly mels: number;
  readonly #filters: MelFilters;
  readonly #spectrum = new PowerSpectrum();

  constructor(mels: number) {
    this.mels = mels;
    this.#filters = buildMelFilters(mels, SPECTRUM_BINS, SAMPLE_RATE_HZ);
  }

  /**
   * Writes frame `t` of the utterance [start, end) of a ring to `out`, with mel m at `offset + m * stride`. Samples
   * outside the utterance count as silence.
   */
  frame(
    ring: SampleRing,
    start: number,
    end: number,
    t: number,
    out: Float32Array,
    offset: number,
    stride: number,
  ): void {
    this.#window(ring, start, end, start + t * HOP_SAMPLES - REACH_SAMPLES);
    this.#spectrum.power();
    const { starts, offsets, weights } = this.#filters;
    const power = this.#spectrum.output;
    for (let m = 0, to = offset; m < this.mels; m++, to += stride) {
      const last = offsets[m + 1]!;
      let sum = FLOOR;
      for (let i = offsets[m]!, bin = starts[m]!; i < last; i++, bin++) sum += weights[i]! * power[bin]!;
      out[to] = Math.log(sum);
    }
  }

  /**
   * Writes the pre-emphasized and windowed samples to the middle of the transform's input. The ends of the input stay
   * zero.
   */
  #window(ring: SampleRing, start: number, end: number, from: number): void {
    const { samples, base, mask } = ring;
    const input = this.#spectrum.input;
    const first = Math.max(0, start - from);
    const past = Math.min(WINDOW_SAMPLES, end - from);
    for (let i = 0; i < first; i++) input[PADDING + i] = 0;
    for (let i = Math.max(past, 0); i < WINDOW_SAMPLES; i++) input[PADDING + i] = 0;
    let before = from + first > start ? samples[base + ((from + first - 1) & mask)]! : 0;
    for (let i = first; i < past; i++) {
      const now = samples[base + ((from + i) & mask)]!;
      input[PADDING + i] = hann[i]! * (now - PRE_EMPHASIS * before);
      before = now;
    }
  }
}
