import type { Bucket } from './bucket.ts';
import { NativeError } from './error.ts';
import type { JointShape } from './joint-contract.ts';
import type { DeviceMemory } from './memory.ts';
import { PredictorStates } from './predictor.ts';
import { Submission } from './submission.ts';
import type { BatchTiming } from './submission.ts';
import { topClassesOf } from './top-classes.ts';
import type { TopClasses } from './top-classes.ts';

/** Inputs of a run, with one value for each row. The order of the rows is the same as in the run of the encoder. */
export interface JointInputs {
  /** Number of encoded frames of the row that contain audio. */
  readonly frames: Int32Array;
  /** Last piece of the utterance. Before the first piece, it is the blank. */
  readonly token: Int32Array;
  /** Frame of the chunk at which the search continues. */
  readonly at: Int32Array;
  /** Number of pieces that the frame `at` has produced so far. */
  readonly symbols: Int32Array;
  /** Predictor slot that the row reads. `stateTo` is the predictor slot that the row writes. */
  readonly stateFrom: Int32Array;
  readonly stateTo: Int32Array;
}

/** Results of a run. They are valid until the next run. */
export interface JointResult {
  /** Piece of each step, or -1 if the step has produced no piece. Each row has `steps` values. */
  readonly tokens: Int32Array;
  /** Frame of each step. */
  readonly places: Int32Array;
  /** Log-probability of the best class of each step. Not valid for steps after the last frame. */
  readonly scores: Float32Array;
  /** Values of `token`, `at` and `symbols` for the next run, for each row. */
  readonly tokenNext: Int32Array;
  readonly atNext: Int32Array;
  readonly symbolsNext: Int32Array;
  readonly top: TopClasses;
}

/**
 * Runs the greedy search over the encoded frames of a batch. Repeat runs until every row has passed its last frame (see
 * `advance`).
 */
export class JointBatch {
  readonly size: number;
  readonly inputs: JointInputs;
  readonly result: JointResult;
  readonly #submission: Submission;
  readonly #shape: JointShape;
  readonly #chunkFrames: number;
  readonly #states: PredictorStates;
  /**
   * Contains for each slot the number of the row that writes this slot, plus 1. All values are 0 between two checks.
   */
  readonly #writer: Uint16Array;

  constructor(
    memory: DeviceMemory,
    bucket: Bucket,
    shape: JointShape,
    chunkFrames: number,
    states: PredictorStates,
    alternatives: number,
  ) {
    const submission = new Submission(memory, bucket);
    this.size = bucket.size;
    this.#submission = submission;
    this.#shape = shape;
    this.#chunkFrames = chunkFrames;
    this.#states = states;
    this.#writer = new Uint16Array(states.slots);
    const input = (name: string): Int32Array => {
      const { buffer, offset } = submission.input(name);
      return new Int32Array(buffer, offset, bucket.size);
    };
    const output = (name: string, perRow: number): Int32Array => {
      const { buffer, offset } = submission.output(name);
      return new Int32Array(buffer, offset, bucket.size * perRow);
    };
    this.inputs = {
      frames: input('frames'),
      token: input('token'),
      at: input('at'),
      symbols: input('symbols'),
      stateFrom: input('state_from'),
      stateTo: input('state_to'),
    };
    const scores = submission.output('scores');
    this.result = {
      tokens: output('tokens', shape.steps),
      places: output('places', shape.steps),
      scores: new Float32Array(scores.buffer, scores.offset, bucket.size * shape.steps),
      tokenNext: output('token_next', 1),
      atNext: output('at_next', 1),
      symbolsNext: output('symbols_next', 1),
      top: topClassesOf(submission, bucket.size * shape.steps, alternatives),
    };
  }

  /**
   * Starts a run of the first `rows` rows and returns before the run has ended. All other rows are padding. Can be
   * called while the encoder is still running. If an input is invalid, throws a NativeError before anything is sent to
   * the device.
   */
  submit(rows: number): void {
    this.#submission.acquire();
    this.#submission.submit(() => {
      this.#check(rows);
      this.#pad(rows);
    });
  }

  /** Waits for the results of a run and returns them. */
  collect(): JointResult {
    this.#submission.collect();
    return this.result;
  }

  /** Resolves to the results of a run, without blocking the thread. */
  async collected(): Promise<JointResult> {
    await this.#submission.collected();
    return this.result;
  }

  /** Sets the inputs of the next run from the results of the last run. Returns whether any row needs another run. */
  advance(rows: number): boolean {
    const { frames, token, at, symbols, stateFrom, stateTo } = this.inputs;
    const { tokenNext, atNext, symbolsNext } = this.result;
    token.set(tokenNext.subarray(0, rows));
    at.set(atNext.subarray(0, rows));
    symbols.set(symbolsNext.subarray(0, rows));
    stateFrom.set(stateTo.subarray(0, rows));
    for (let row = 0; row < rows; row++) if ((at[row] ?? 0) < (frames[row] ?? 0)) return true;
    return false;
  }

  /** Returns the device time of the last run. */
  timing(): BatchTiming {
    return this.#submission.timing();
  }

  release(): void {
    this.#submission.release();
  }

  #pad(from: number): void {
    const { frames, token, at, symbols, stateFrom, stateTo } = this.inputs;
    for (const values of [frames, at, symbols]) values.fill(0, from);
    token.fill(this.#shape.blank, from);
    stateFrom.fill(PredictorStates.zeroSlot, from);
    stateTo.fill(PredictorStates.scratchSlot, from);
  }

  #check(rows: number): void {
    const { stateTo } = this.inputs;
    try {
      for (let row = 0; row < rows; row++) this.#checkRow(row);
      for (let row = 0; row < rows; row++) this.#checkRead(row);
    } finally {
      for (let row = 0; row < rows; row++) this.#writer[stateTo[row] ?? 0] = 0;
    }
  }

  #checkRow(row: number): void {
    const { frames, token, at, symbols, stateTo } = this.inputs;
    within(row, 'frames', frames[row], 0, this.#chunkFrames);
    within(row, 'token', token[row], 0, this.#shape.classes - 1);
    within(row, 'at', at[row], 0, this.#chunkFrames);
    within(row, 'symbols', symbols[row], 0, this.#shape.maxSymbols);
    const slot = stateTo[row] ?? -1;
    if (slot === PredictorStates.scratchSlot) return;
    within(row, 'state_to', slot, PredictorStates.firstSlot, this.#states.slots - 1);
    if (this.#writer[slot] !== 0) fail(row, `state_to ${slot} is that of row ${(this.#writer[slot] ?? 0) - 1} too`);
    this.#writer[slot] = row + 1;
  }

  #checkRead(row: number): void {
    const slot = this.inputs.stateFrom[row] ?? -1;
    if (slot === PredictorStates.zeroSlot) return;
    within(row, 'state_from', slot, PredictorStates.firstSlot, this.#states.slots - 1);
    const by = this.#writer[slot] ?? 0;
    if (by !== 0 && by !== row + 1) fail(row, `state_from ${slot} is the slot that row ${by - 1} writes`);
  }
}

function within(row: number, what: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || value < least || value > most) {
    fail(row, `${what} ${value} is not between ${least} and ${most}`);
  }
}

function fail(row: number, what: string): never {
  throw new NativeError('index_invalid', `row ${row} of the search: ${what}`);
}
