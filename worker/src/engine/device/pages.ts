import { DeviceArenas } from '../../native/arenas.ts';

/** Sizes of a context that decide how its streams use the arena. */
export interface PageShape {
  /** Number of past encoder frames that a run reads. */
  readonly left: number;
  /** Number of encoder frames in a chunk, which is also the number of frames in a page. */
  readonly chunk: number;
}

/**
 * Division of the arenas in device memory, in which graphs keep the state of streams. An arena is a list of frames. It
 * starts with a page of zeros that is never written, and a scratch page for rows that pad a batch. All other frames are
 * divided equally among the slots. The convolution tails, which are the last inputs of the convolutions, are divided in
 * the same way.
 */
export interface ArenaLayout {
  readonly slots: number;
  readonly framesPerSlot: number;
  /** Number of frames in the largest page. */
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

/** Returns the number of pages that contain the past of a stream. */
export const pagesOf = ({ left, chunk }: PageShape): number => Math.ceil(left / chunk);

/**
 * Returns the number of pages of a slot. It is one page more than the past needs. So a window does not overwrite the
 * pages that it reads, and can be run again.
 */
const ringOf = (shape: PageShape): number => pagesOf(shape) + 1;

/**
 * Number of convolution tails of a slot, and number of predictor states of a slot. A window reads one of the two and
 * writes the other one. The window can therefore be run again.
 */
export const STATES_PER_SLOT = 2;

/** Returns the number of frames that a slot needs for a stream of any of these contexts. */
export const framesPerSlot = (contexts: readonly PageShape[]): number =>
  Math.max(...contexts.map((shape) => ringOf(shape) * shape.chunk));

/** Returns the layout of arenas for this number of slots. Each slot has room for a stream of any of these contexts. */
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

/** Returns the index of the convolution tail, or of the predictor state, that window `k` of an utterance writes. */
export const stateOf = (slot: number, k: number): number =>
  DeviceArenas.firstSlot + slot * STATES_PER_SLOT + (k % STATES_PER_SLOT);

/**
 * Lists the pages with the past of window `k`, the oldest first. Writes the first arena frame of each page to `out`,
 * from index `at` on. The pages of a slot form a ring, and window `k` writes to none of the listed pages. For windows
 * before the start of the utterance, lists the zero page.
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
