import type { Candidate } from '../../decode/candidates.ts';
import { DeviceRnnt } from '../../decode/device-rnnt.ts';
import type { JointBatch, JointResult } from '../../native/joint-batch.ts';
import type { JointShape } from '../../native/joint-contract.ts';
import { PredictorStates } from '../../native/predictor.ts';
import type { TopClasses } from '../../native/top-classes.ts';
import type { Work } from '../backend.ts';
import { stateOf } from './pages.ts';
import { encodedFrames } from './rows.ts';
import type { RowShape } from './rows.ts';
import type { RunMeter } from './run-meter.ts';

/** A stream in the search of a batch. */
interface Row {
  readonly search: DeviceRnnt;
  /** Number of encoder frames that contain audio. */
  readonly frames: number;
  isFinite: boolean;
}

/**
 * Searches the encoded frames, which stay on the device, and adds the pieces to the transcripts. Can be called while
 * the encoder is still running. Returns for each row whether all scores of the row are finite numbers.
 */
export async function searchTransducer(
  joint: JointBatch,
  shape: JointShape,
  encoder: Pick<RowShape, 'subsampling'>,
  batch: readonly Work[],
  meter: RunMeter,
): Promise<boolean[]> {
  const rows = startRows(joint, encoder, batch);
  const longest = Math.max(...rows.map(({ frames }) => frames));
  // Each step moves a row to the next frame or produces a piece, and a frame produces at most `maxSymbols` pieces.
  const mostRuns = Math.max(1, Math.ceil((longest * shape.maxSymbols) / shape.steps));
  const leastSteps = Math.max(...rows.map(({ frames }, i) => frames + (batch[i]?.leastPieces ?? 0)));
  const leastRuns = Math.ceil(leastSteps / shape.steps);
  for (let run = 1; ; run++) {
    meter.measure(() => joint.submit(rows.length));
    const result = await joint.collected();
    meter.add(joint.timing());
    const isNeeded = meter.measure(() => {
      rows.forEach((row, i) => {
        addPieces(row, i, shape.steps, result);
      });
      return advance(joint, shape, rows);
    });
    if (!isNeeded && run >= leastRuns) break;
    if (isNeeded && run >= mostRuns)
      throw new Error(`the search has not ended after ${mostRuns} runs of the joint graph`);
  }
  for (const { search, frames } of rows) search.endChunk(frames);
  return rows.map(({ isFinite }) => isFinite);
}

function startRows({ inputs }: JointBatch, encoder: Pick<RowShape, 'subsampling'>, batch: readonly Work[]): Row[] {
  return batch.map(({ lane, length }, row) => {
    const { state } = lane.search;
    if (!(state instanceof DeviceRnnt)) throw new Error('the stream was not opened for a transducer on a device');
    const frames = encodedFrames(encoder, length);
    const { slot, window: k } = lane;
    inputs.frames[row] = frames;
    inputs.token[row] = state.token;
    inputs.at[row] = 0;
    inputs.symbols[row] = 0;
    inputs.stateFrom[row] = k === 0 ? PredictorStates.zeroSlot : stateOf(slot, k - 1);
    inputs.stateTo[row] = stateOf(slot, k);
    return { search: state, frames, isFinite: true };
  });
}

/** Adds the pieces of a run to the transcript of a row. Steps after the last frame are ignored. */
function addPieces(row: Row, index: number, steps: number, { tokens, places, scores, top }: JointResult): void {
  for (let i = index * steps; row.isFinite && i < (index + 1) * steps; i++) {
    const [token = -1, place = 0] = [tokens[i], places[i]];
    if (place >= row.frames) return;
    const score = scores[i] ?? NaN;
    row.isFinite = Number.isFinite(score);
    if (row.isFinite && token >= 0) row.search.add(token, place, score, (count) => candidatesAt(top, i, count));
  }
}

/** Returns the best classes of a frame or step. `index` is the number of this frame or step in the batch. */
export function candidatesAt({ ids, scores, count: stored }: TopClasses, index: number, count: number): Candidate[] {
  return Array.from({ length: Math.min(count, stored) }, (_, i) => ({
    id: ids[index * stored + i] ?? -1,
    logProb: scores[index * stored + i] ?? NaN,
  }));
}

/** Prepares the next run. Returns whether any row needs another run. Ends the search of rows with invalid scores. */
function advance(joint: JointBatch, { blank }: JointShape, rows: readonly Row[]): boolean {
  const { frames, token } = joint.inputs;
  rows.forEach((row, i) => {
    if (!row.isFinite) frames[i] = 0;
  });
  const isNeeded = joint.advance(rows.length);
  rows.forEach((row, i) => {
    if (!row.isFinite) token[i] = blank;
  });
  return isNeeded;
}
