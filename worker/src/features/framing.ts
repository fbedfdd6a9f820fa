import { HOP_SAMPLES, REACH_SAMPLES } from './logmel.ts';

/**
 * Division of an utterance into windows of feature frames.
 *
 * A window consists of the last frames of the previous window (its history) and `shift` new frames. The graph drops the
 * output that belongs to the history. An exported graph drops it even for the first window, so an utterance starts with
 * `lead` frames of zeros.
 */
export interface Framing {
  /** New feature frames per window. */
  readonly shift: number;
  /** Feature frames of a window. */
  readonly window: number;
  /** Zero frames before the first frame of audio. */
  readonly lead: number;
}

/**
 * Decision about the next window. For `run`, `length` is the number of its frames up to the end of the audio. Only
 * the last window of an utterance can have fewer than `window`.
 */
export type NextWindow =
  | { readonly kind: 'wait' }
  | { readonly kind: 'run'; readonly length: number; readonly last: boolean }
  | { readonly kind: 'end' };

/** Returns the framing of a context with `right` frames of look-ahead. */
export function buildFraming(right: number, subsampling: number): Framing {
  const shift = subsampling * (right + 1);
  return { shift, window: shift + subsampling + 1, lead: 2 * subsampling };
}

/** Returns the number of new audio samples in a window. */
export const chunkSamples = (framing: Framing): number => framing.shift * HOP_SAMPLES;

/**
 * Returns how many samples before the end of its chunk a window can run, because no feature uses these last samples.
 */
export const earlySamples = (framing: Framing): number => chunkSamples(framing) - samplesFor(framing, 1);

/** Returns the frame of the utterance at column 0 of window `k`. Negative within the leading zeros. */
export const firstFrame = (framing: Framing, k: number): number => k * framing.shift - framing.lead;

/** Returns the number of samples that an utterance needs before its first `windows` windows can run without a flush. */
export function samplesFor(framing: Framing, windows: number): number {
  const lastFrame = firstFrame(framing, windows - 1) + framing.window - 1;
  return windows === 0 ? 0 : lastFrame * HOP_SAMPLES + REACH_SAMPLES;
}

/** Returns the number of windows that can run with this many samples and no flush. */
export function windowsIn(framing: Framing, samples: number): number {
  const chunk = chunkSamples(framing);
  return Math.max(0, Math.floor((samples - samplesFor(framing, 1)) / chunk) + 1);
}

/** Decides about window `k` of an utterance that has `samples` so far. If `flushed` is true, no more samples follow. */
export function nextWindow(framing: Framing, k: number, samples: number, flushed: boolean): NextWindow {
  if (!flushed) {
    return samples >= samplesFor(framing, k + 1)
      ? { kind: 'run', length: framing.window, last: false }
      : { kind: 'wait' };
  }
  const frames = Math.floor(samples / HOP_SAMPLES);
  const left = frames - firstFrame(framing, k);
  // If there is no frame of audio, a run would only recognize the leading zeros.
  if (frames === 0 || left <= framing.window - framing.shift) return { kind: 'end' };
  const length = Math.min(left, framing.window);
  return { kind: 'run', length, last: left <= framing.window };
}

/**
 * Returns the oldest sample that the new frames of window `k` or of a later window need, relative to the start of the
 * utterance. The history of a window is not included, because its features come from the previous window.
 */
export function oldestNeeded(framing: Framing, k: number): number {
  const history = framing.window - framing.shift;
  return k === 0 ? 0 : Math.max(0, firstSample(framing, k) + history * HOP_SAMPLES);
}

/** Returns the oldest sample that any frame of window `k` needs, including its history. */
export const oldestSampleOf = (framing: Framing, k: number): number => Math.max(0, firstSample(framing, k));

/**
 * Returns the first sample that the frames of window `k` cover. Negative at the start of an utterance. A frame reaches
 * back by REACH_SAMPLES, and pre-emphasis needs one sample more.
 */
export const firstSample = (framing: Framing, k: number): number =>
  firstFrame(framing, k) * HOP_SAMPLES - REACH_SAMPLES - 1;

/** Returns the number of samples that the frames of a window cover, including the one that pre-emphasis needs. */
export const windowSamples = (framing: Framing): number => (framing.window - 1) * HOP_SAMPLES + 2 * REACH_SAMPLES + 1;
