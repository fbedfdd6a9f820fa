import { DeviceArenas } from '../../native/arenas.ts';

/** Sizes of a context that decide how its streams use the arena. */
export interface PageShape {
  /** Number of past encoder frames that a run reads. */
  readonly left: number;
  /** Number of encoder frames in a chunk, which is also the number of frames in a page. */
  readonly chunk: number;
}

/**
 * Division of the arenas in device memory. An arena is a list of frames. It starts with a zero page, which is never
 * written, and a scratch page for rows that pad a batch. All other frames are divided equally among the slots. The
 * convolution tails, which are the last inputs of the convolutions, are divided in the same way.
 */
export interface ArenaLayout {
  readonly slots: number;
  readonly framesPerSlot: number;
  /** Frames of the largest page. */
  readonly pageFrames: number;
  /** Number of frames of an arena. */
  readonly frames: number;
  /** Number of convolution tails. */
  readonly tails: number;
  readonly zeroPage: number;
  readonly scratchPage: number;
  readonly zeroTail: number;
  readonly scratchTail: number;
}

/** Returns the number of pages that hold the past of a stream. */
export const pagesOf = ({ left, chunk }: PageShape): number => Math.ceil(left / chunk);

/**
 * Returns the number of pages of a slot. It is one more than the past needs, so that a window does not overwrite what
 * it reads and can be run again.
 */
const ringOf = (shape: PageShape): number => pagesOf(shape) + 1;

/**
 * Number of convolution tails of a slot, and number of its predictor states. A window reads one and writes the other.
 * The window can therefore be run again.
 */
export const STATES_PER_SLOT = 2;

/** Returns the number of frames that a slot needs for a stream of any of these contexts. */
export const framesPerSlot = (contexts: readonly PageShape[]): number =>
  Math.max(...contexts.map((shape) => ringOf(shape) * shape.chunk));

/** Returns the layout of arenas for this many slots, in which a slot can hold a stream of any of these contexts. */
export function layOutArenas(slots: number, contexts: readonly PageShape[]): ArenaLayout {
  const perSlot = framesPerSlot(contexts);
  const pageFrames = Math.max(...contexts.map(({ chunk }) => chunk));
  return {
    slots,
    framesPerSlot: perSlot,
    pageFrames,
    frames: 2 * pageFrames + slots * perSlot,
    tails: DeviceArenas.firstSlot + slots * STATES_PER_SLOT,
    zeroPage: DeviceArenas.zeroFrame,
    scratchPage: pageFrames,
    zeroTail: DeviceArenas.zeroSlot,
    scratchTail: DeviceArenas.scratchSlot,
  };
}

/** Returns the first arena frame of the page that window `k` of an utterance writes. */
export const pageOf = (
  { pageFrames, framesPerSlot: perSlot }: ArenaLayout,
  shape: PageShape,
  slot: number,
  k: number,
) => 2 * pageFrames + slot * perSlot + (k % ringOf(shape)) * shape.chunk;

/** Returns the convolution tail, or the predictor state, of a slot that window `k` of an utterance writes. */
export const stateOf = (slot: number, k: number): number =>
  DeviceArenas.firstSlot + slot * STATES_PER_SLOT + (k % STATES_PER_SLOT);

/**
 * Writes the first arena frames of the pages before window `k` to `out` from index `at` on, the oldest first. The pages
 * of a slot form a ring, in which window `k` writes to none of these pages. For windows before the utterance, the zero
 * page is listed.
 */
export function fillPast(
  layout: ArenaLayout,
  shape: PageShape,
  slot: number,
  k: number,
  out: Int32Array,
  at: number,
): void {
  const pages = pagesOf(shape);
  for (let i = 0; i < pages; i++) {
    const window = k - pages + i;
    out[at + i] = window < 0 ? layout.zeroPage : pageOf(layout, shape, slot, window);
  }
}
