import { firstFrame, firstSample } from '../../features/framing.ts';
import type { Framing } from '../../features/framing.ts';
import type { BatchInputs } from '../../native/indices.ts';
import type { Lane } from '../lane.ts';
import { fillPast, pageOf, pagesOf, stateOf } from './pages.ts';
import type { ArenaLayout, PageShape } from './pages.ts';

/** Sizes of a row at one context. A row is the part of a batch that contains the window of one stream. */
export interface RowShape extends PageShape {
  readonly framing: Framing;
  /** Number of samples in a row. */
  readonly samples: number;
  /** Feature frames per encoder frame, a power of two. */
  readonly subsampling: number;
}

/**
 * Writes the next window of a stream to a row. `length` is the number of feature frames in the window up to the end of
 * the audio.
 */
export function fillRow(
  rows: BatchInputs,
  row: number,
  shape: RowShape,
  layout: ArenaLayout,
  lane: Lane,
  length: number,
): void {
  const { framing, samples, left, chunk } = shape;
  const { slot, window: k } = lane;
  const origin = firstSample(framing, k);
  const first = Math.max(0, -origin);
  const end = Math.min(samples, lane.end - lane.start - origin);
  lane.ring.read(lane.start + origin + first, end - first, rows.pcm, row * samples + first);
  rows.bounds[row * 4] = first;
  rows.bounds[row * 4 + 1] = end;
  rows.bounds[row * 4 + 2] = Math.max(0, -firstFrame(framing, k));
  rows.bounds[row * 4 + 3] = length;
  fillPast(layout, shape, slot, k, rows.past, row * pagesOf(shape));
  rows.page[row] = pageOf(layout, shape, slot, k);
  rows.tailFrom[row] = k === 0 ? layout.zeroTail : stateOf(slot, k - 1);
  rows.tailTo[row] = stateOf(slot, k);
  rows.filled[row] = Math.min(left, k * chunk);
}

/** Number of encoder frames in the history at the start of a window. */
const HISTORY_FRAMES = 2;

/**
 * Returns the number of encoder frames of a window up to the end of the audio, without the history of the window.
 * `length` is the number of feature frames up to the end of the audio. Each convolution of the subsampling halves the
 * number of frames.
 */
export function encodedFrames({ subsampling }: Pick<RowShape, 'subsampling'>, length: number): number {
  let frames = length;
  for (let left = subsampling; left > 1; left /= 2) frames = Math.floor(frames / 2) + 1;
  return Math.max(0, frames - HISTORY_FRAMES);
}
