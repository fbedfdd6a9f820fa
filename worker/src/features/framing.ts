import { HOP_SAMPLES, REACH_SAMPLES } from './logmel.ts';

/**
 * How an utterance is cut into windows of feature frames.
 *
 * A window is `shift` new frames after `history` frames of the last one; the graph drops what the history encodes to. An exported
 * graph drops it from the first window too, so an utterance starts with `lead` frames of zeros.
 */
export interface Framing {
  /** New feature frames per window. */
  readonly shift: number;
  /** Feature frames of a window. */
  readonly window: number;
  /** Zero frames before the first. */
  readonly lead: number;
}

/** What to run next: `length` true frames of the window (fewer than `window` only at the end), or no run at all. */
export type NextWindow =
  | { readonly kind: 'wait' }
  | { readonly kind: 'run'; readonly length: number; readonly last: boolean }
  | { readonly kind: 'end' };

/** Framing of a context with `right` frames of look-ahead. */
export function buildFraming(right: number, subsampling: number): Framing {
  const shift = subsampling * (right + 1);
  return { shift, window: shift + subsampling + 1, lead: 2 * subsampling };
}

/** Samples of audio that one window moves on by. */
export const chunkSamples = (framing: Framing): number => framing.shift * HOP_SAMPLES;

/** Feature frame of the utterance that column 0 of window `k` shows; negative in the zeros of the start. */
export const firstFrame = (framing: Framing, k: number): number => k * framing.shift - framing.lead;

/** Samples an utterance must have before its first `windows` windows can run without a flush. */
export function samplesFor(framing: Framing, windows: number): number {
  const lastFrame = firstFrame(framing, windows - 1) + framing.window - 1;
  return windows === 0 ? 0 : lastFrame * HOP_SAMPLES + REACH_SAMPLES;
}

/** Windows that can run with this many samples and no flush. */
export function windowsIn(framing: Framing, samples: number): number {
  const chunk = chunkSamples(framing);
  return Math.max(0, Math.floor((samples - samplesFor(framing, 1)) / chunk) + 1);
}

/** Decides about window `k` of an utterance that has `samples` so far and, when `flushed`, gets no more. */
export function nextWindow(framing: Framing, k: number, samples: number, flushed: boolean): NextWindow {
  if (!flushed) {
    return samples >= samplesFor(framing, k + 1)
      ? { kind: 'run', length: framing.window, last: false }
      : { kind: 'wait' };
  }
  const frames = Math.floor(samples / HOP_SAMPLES);
  const left = frames - firstFrame(framing, k);
  // Without one frame of audio the zeros of the start would be all there is to recognize.
  if (frames === 0 || left <= framing.window - framing.shift) return { kind: 'end' };
  const length = Math.min(left, framing.window);
  return { kind: 'run', length, last: left <= framing.window };
}

/** Oldest sample that window `k` and later ones can still need, relative to the utterance's start. */
export function oldestNeeded(framing: Framing, k: number): number {
  const history = framing.window - framing.shift;
  // Frames of history come from the last window; the first new frame reaches back, and pre-emphasis one sample more.
  const frame = k === 0 ? 0 : firstFrame(framing, k) + history;
  return Math.max(0, frame * HOP_SAMPLES - REACH_SAMPLES - 1);
}
