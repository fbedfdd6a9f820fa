import { HOP_SAMPLES, REACH_SAMPLES } from './logmel.ts';

/**
 * Describes how an utterance is divided into windows of feature frames.
 *
 * A window consists of the last frames of the previous window (its history) and `shift` new frames. The graph drops the
 * output that belongs to the history, also in the first window, which has no previous window. An utterance therefore
 * starts with `lead` frames of zeros, which serve as its history.
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
 * Decision about the next window. For `run`, `length` is the number of frames of the window up to the end of the audio.
 * `length` can be less than `window` only for the last window of an utterance.
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
 * Returns the number of samples at the end of a chunk that no feature of the window uses. The window can run before
 * these samples have arrived.
 */
export const earlySamples = (framing: Framing): number => chunkSamples(framing) - samplesFor(framing, 1);

/**
 * Returns the index, within the utterance, of the frame in column 0 of window `k`. The index is negative if this frame
 * is one of the leading zeros.
 */
export const firstFrame = (framing: Framing, k: number): number => k * framing.shift - framing.lead;

/**
 * Returns the number of samples that must have arrived before the first `windows` windows of an utterance can run
 * without a flush.
 */
export function samplesFor(framing: Framing, windows: number): number {
  const lastFrame = firstFrame(framing, windows - 1) + framing.window - 1;
  return windows === 0 ? 0 : lastFrame * HOP_SAMPLES + REACH_SAMPLES;
}

/** Returns the number of windows that can run with this many samples and no flush. */
export function windowsIn(framing: Framing, samples: number): number {
  const chunk = chunkSamples(framing);
  return Math.max(0, Math.floor((samples - samplesFor(framing, 1)) / chunk) + 1);
}

/**
 * Decides about window `k` of an utterance of which `samples` samples have arrived. If `flushed` is true, no more
 * samples follow.
 */
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
 * Returns the number of the oldest sample that the new frames of window `k` or of a later window need. It counts from
 * the start of the utterance. The history of a window is not included, because the features of the history come from
 * the previous window.
 */
export function oldestNeeded(framing: Framing, k: number): number {
  const history = framing.window - framing.shift;
  return k === 0 ? 0 : Math.max(0, firstSample(framing, k) + history * HOP_SAMPLES);
}

/** Returns the number of the oldest sample that any frame of window `k` needs, including the frames of the history. */
export const oldestSampleOf = (framing: Framing, k: number): number => Math.max(0, firstSample(framing, k));

/**
 * Returns the number of the first sample that the frames of window `k` cover. It is negative at the start of an
 * utterance. A frame covers REACH_SAMPLES samples before its center, and pre-emphasis needs one more.
 */
export const firstSample = (framing: Framing, k: number): number =>
  firstFrame(framing, k) * HOP_SAMPLES - REACH_SAMPLES - 1;

/**
 * Returns the number of samples that the frames of a window cover, including the additional sample for pre-emphasis.
 */
export const windowSamples = (framing: Framing): number => (framing.window - 1) * HOP_SAMPLES + 2 * REACH_SAMPLES + 1;
