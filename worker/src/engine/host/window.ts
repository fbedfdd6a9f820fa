import { firstFrame } from '../../features/framing.ts';
import type { Framing } from '../../features/framing.ts';
import type { LogMel, SampleRing } from '../../features/logmel.ts';

/** Input for the features of one window. */
export interface WindowSource {
  readonly ring: SampleRing;
  /** First sample of the utterance. `end` is the sample at which the received audio of the utterance ends. */
  readonly start: number;
  readonly end: number;
  /** Number of the window in the utterance. */
  readonly index: number;
  /** Number of feature frames of the window up to the end of the audio. */
  readonly length: number;
  /**
   * Last feature frames of the previous window, [mels, history]. `fillWindow` overwrites them with the last frames of
   * this window.
   */
  readonly history: Float32Array;
}

/** Writes the features of a window as [mels, window] to `out`, starting at `offset`. */
export function fillWindow(
  logMel: LogMel,
  framing: Framing,
  source: WindowSource,
  out: Float32Array,
  offset: number,
): void {
  const { mels } = logMel;
  const { window, shift, lead } = framing;
  const kept = window - shift;
  const { index, length, history } = source;
  if (index === 0 || length < window) out.fill(0, offset, offset + mels * window);
  if (index > 0) copyColumns(history, 0, kept, out, offset, window, mels, Math.min(kept, length));
  const first = firstFrame(framing, index);
  const column = index === 0 ? lead : kept;
  const matrix = { values: out, offset: offset + column, stride: window };
  logMel.frames(source.ring, source.start, source.end, first + column, length - column, matrix);
  copyColumns(out, offset + window - kept, window, history, 0, kept, mels, kept);
}

/** Copies `count` columns between two matrices with `mels` rows. */
export function copyColumns(
  from: Float32Array,
  fromAt: number,
  fromStride: number,
  to: Float32Array,
  toAt: number,
  toStride: number,
  mels: number,
  count: number,
): void {
  for (let m = 0; m < mels; m++) {
    for (let c = 0; c < count; c++) to[toAt + m * toStride + c] = from[fromAt + m * fromStride + c] ?? 0;
  }
}
