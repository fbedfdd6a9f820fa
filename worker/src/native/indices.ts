import { DeviceArenas } from './arenas.ts';
import type { GraphShape } from './contract.ts';
import { NativeError } from './error.ts';

/** Inputs of a batch. Each array contains the values of all rows, one row after the other. */
export interface BatchInputs {
  /** Samples. A row starts with one additional sample, which the pre-emphasis needs. */
  readonly pcm: Int16Array;
  /** For each row: start and end of the valid samples, then start and end of the valid feature frames. */
  readonly bounds: Int32Array;
  /** Arena frames at which the past pages start, oldest first. */
  readonly past: Int32Array;
  /** Arena frame at which the new page starts. */
  readonly page: Int32Array;
  /** Tail slot that the row reads. `tailTo` is the tail slot that the row writes. */
  readonly tailFrom: Int32Array;
  readonly tailTo: Int32Array;
  /** Number of past frames that exist. These are the newest frames of the past pages. */
  readonly filled: Int32Array;
  /** Index of the language prompt. Empty if the graph takes no prompt. */
  readonly prompt: BigInt64Array;
}

/**
 * Checks the indices of batches. CUDA reports no error for an index outside an arena, and uses a valid index instead.
 * The state of another stream would then change.
 */
export class IndexCheck {
  readonly #arenas: DeviceArenas;
  /**
   * Contains for each frame the number of the row that writes this frame, plus 1. All values are 0 between two checks.
   */
  readonly #frameWriter: Uint16Array;
  /**
   * Contains for each tail slot the number of the row that writes this slot, plus 1. All values are 0 between two
   * checks.
   */
  readonly #slotWriter: Uint16Array;

  constructor(arenas: DeviceArenas) {
    this.#arenas = arenas;
    this.#frameWriter = new Uint16Array(arenas.size.frames);
    this.#slotWriter = new Uint16Array(arenas.size.slots);
  }

  /**
   * Throws a NativeError if one of the first `rows` rows has an invalid index. Also throws if a row writes state that
   * another row reads or writes.
   */
  check(shape: GraphShape, inputs: BatchInputs, rows: number): void {
    let marked = 0;
    try {
      for (; marked < rows; marked++) this.#mark(shape, inputs, marked);
      for (let row = 0; row < rows; row++) this.#checkReads(shape, inputs, row);
    } finally {
      // Also unmarks the row whose check failed, because a part of its state may be marked.
      for (let row = 0; row < Math.min(marked + 1, rows); row++) this.#unmark(shape, inputs, row);
    }
  }

  /** Checks the page and the tail slot that a row writes. Marks both as written by this row. */
  #mark({ frames }: GraphShape, { page, tailTo }: BatchInputs, row: number): void {
    const { firstFrame, scratchFrame, size } = this.#arenas;
    const at = page[row] ?? -1;
    if (at !== scratchFrame) {
      within(row, 'page', at, firstFrame, size.frames - frames);
      const by = this.#otherWriter(at, frames, row);
      if (by !== 0) fail(row, `page ${at} overlaps that of row ${by - 1}`);
      for (let frame = at; frame < at + frames; frame++) this.#frameWriter[frame] = row + 1;
    }
    const slot = tailTo[row] ?? -1;
    if (slot === DeviceArenas.scratchSlot) return;
    within(row, 'tail_to', slot, DeviceArenas.firstSlot, size.slots - 1);
    const by = this.#slotWriter[slot] ?? 0;
    if (by !== 0) fail(row, `tail_to ${slot} is that of row ${by - 1} too`);
    this.#slotWriter[slot] = row + 1;
  }

  #unmark({ frames }: GraphShape, { page, tailTo }: BatchInputs, row: number): void {
    const at = page[row] ?? -1;
    for (let frame = at; frame < at + frames; frame++) this.#frameWriter[frame] = 0;
    this.#slotWriter[tailTo[row] ?? -1] = 0;
  }

  /** Checks the pages and the tail slot that a row reads. Throws if another row of the same run writes one of them. */
  #checkReads(shape: GraphShape, inputs: BatchInputs, row: number): void {
    const { frames, pages, context } = shape;
    const { size, firstFrame } = this.#arenas;
    for (let i = row * pages; i < (row + 1) * pages; i++) {
      const at = inputs.past[i] ?? -1;
      if (at === DeviceArenas.zeroFrame) continue;
      within(row, 'past', at, firstFrame, size.frames - frames);
      const by = this.#otherWriter(at, frames, row);
      if (by !== 0) fail(row, `past ${at} overlaps the page that row ${by - 1} writes`);
    }
    const slot = inputs.tailFrom[row] ?? -1;
    if (slot !== DeviceArenas.zeroSlot) {
      within(row, 'tail_from', slot, DeviceArenas.firstSlot, size.slots - 1);
      const by = this.#slotWriter[slot] ?? 0;
      if (by !== 0 && by !== row + 1) fail(row, `tail_from ${slot} is the slot that row ${by - 1} writes`);
    }
    within(row, 'filled', inputs.filled[row] ?? -1, 0, context[0]);
    this.#checkBounds(shape, inputs.bounds, row);
  }

  /**
   * Returns the number of another row that writes a part of this page, plus 1. Returns 0 if no other row writes to the
   * page. All pages of a graph have the same length, so only the first and the last frame must be checked.
   */
  #otherWriter(at: number, frames: number, row: number): number {
    const first = this.#frameWriter[at] ?? 0;
    if (first !== 0 && first !== row + 1) return first;
    const last = this.#frameWriter[at + frames - 1] ?? 0;
    return last === row + 1 ? 0 : last;
  }

  #checkBounds({ samples, framing }: GraphShape, bounds: Int32Array, row: number): void {
    const at = row * 4;
    const firstSample = bounds[at] ?? -1;
    const firstFrame = bounds[at + 2] ?? -1;
    within(row, 'first sample', firstSample, 0, samples);
    within(row, 'end of samples', bounds[at + 1] ?? -1, firstSample, samples);
    within(row, 'first frame', firstFrame, 0, framing.window);
    within(row, 'end of frames', bounds[at + 3] ?? -1, firstFrame, framing.window);
  }
}

function within(row: number, what: string, value: number, least: number, most: number): void {
  if (value < least || value > most) fail(row, `${what} ${value} is not between ${least} and ${most}`);
}

function fail(row: number, what: string): never {
  throw new NativeError('index_invalid', `row ${row} of the batch: ${what}`);
}
