import { GreedyCtc } from '../../decode/ctc.ts';
import { PhraseBeam } from '../../decode/phrases/beam.ts';
import type { BatchResult, DeviceBatch } from '../../native/batch.ts';
import { CudaError } from '../../native/error.ts';
import type { DeviceGraph } from '../../native/graph.ts';
import type { DeviceJoint } from '../../native/joint.ts';
import { DeviceLost } from '../backend.ts';
import type { OnRun, Runner, Work } from '../backend.ts';
import type { Lane } from '../lane.ts';
import type { StreamEvent } from '../protocol.ts';
import type { ArenaLayout } from './pages.ts';
import { encodedFrames, fillRow } from './rows.ts';
import type { RowShape } from './rows.ts';
import { RunMeter } from './run-meter.ts';
import { candidatesAt, searchTransducer } from './transducer.ts';

/** The graph of one context with the sizes of its rows. */
export interface DeviceContext {
  readonly graph: DeviceGraph;
  readonly rows: RowShape;
  /** Search of a transducer. Undefined for CTC. */
  readonly joint: DeviceJoint | undefined;
}

/** Runs windows with graphs that keep the state of streams in device memory. The graphs also compute the features. */
export class DeviceRunner implements Runner {
  readonly #contexts: ReadonlyMap<string, DeviceContext>;
  readonly #layout: ArenaLayout;
  readonly #promptIndex: number;
  readonly #onRun: OnRun;

  constructor(contexts: ReadonlyMap<string, DeviceContext>, layout: ArenaLayout, promptIndex: number, onRun: OnRun) {
    this.#contexts = contexts;
    this.#layout = layout;
    this.#promptIndex = promptIndex;
    this.#onRun = onRun;
  }

  async run(batch: readonly Work[], isOpen: (lane: Lane) => boolean): Promise<StreamEvent[]> {
    const context = this.#contexts.get(batch[0]?.lane.context ?? '');
    if (context === undefined) return [];
    const [meter, startedMs] = [new RunMeter(), performance.now()];
    try {
      const rows = meter.measure(() => this.#submit(context, batch));
      const areFinite = await search(context, rows, batch, meter);
      meter.add(rows.timing());
      const runMs = performance.now() - startedMs;
      const waits = batch.map(({ lane: { readyMs = startedMs } }) => Math.max(0, startedMs - readyMs));
      const waitMs = waits.reduce((sum, wait) => sum + wait, 0);
      const events = meter.measure(() =>
        batch.flatMap(({ lane, length }, row): StreamEvent[] => {
          // The results of a closed stream are dropped. A new stream in its slot starts with the zero page, so it never
          // reads what this run has written.
          if (!isOpen(lane)) return [];
          lane.ran(startedMs + runMs, { batch: batch.length, runMs, waitMs: waits[row] ?? 0 });
          if (areFinite[row] === true) return lane.advance(encodedFrames(context.rows, length));
          return [{ id: lane.id, kind: 'failed', message: 'the model returned a score that is not a number' }];
        }),
      );
      this.#onRun({ windows: batch.length, runMs, waitMs, ...meter.figures });
      return events;
    } catch (error) {
      if (error instanceof CudaError) throw new DeviceLost(error.message, { cause: error });
      throw error;
    }
  }

  #submit({ graph, rows: shape }: DeviceContext, batch: readonly Work[]): DeviceBatch {
    const rows = graph.acquire(batch.length);
    if (rows === undefined) throw new Error('more runs are active than the graph has batches');
    try {
      batch.forEach(({ lane, length }, row) => fillRow(rows.inputs, row, shape, this.#layout, lane, length));
      rows.inputs.prompt.fill(BigInt(this.#promptIndex));
      rows.submit(batch.length);
      return rows;
    } catch (error) {
      rows.abandon();
      throw error;
    }
  }
}

/**
 * Adds the results of a run to the transcripts. Returns for each row whether all scores of the row are finite numbers.
 */
async function search(
  { joint, rows: shape }: DeviceContext,
  rows: DeviceBatch,
  batch: readonly Work[],
  meter: RunMeter,
): Promise<boolean[]> {
  if (joint === undefined) {
    const result = await rows.collected();
    return meter.measure(() =>
      batch.map(({ lane, length }, row) => searchCtc(lane, encodedFrames(shape, length), row * shape.chunk, result)),
    );
  }
  try {
    return await searchTransducer(joint.searchOf(rows), joint.shape, shape, batch, meter);
  } finally {
    // Waits for the encoder. Normally, the encoder has already ended here, but it can still run if the search could not
    // start.
    rows.collect();
  }
}

function searchCtc(
  { search: { state } }: Lane,
  frames: number,
  at: number,
  { ids, scores, top }: BatchResult,
): boolean {
  for (let i = at; i < at + frames; i++) if (!Number.isFinite(scores[i])) return false;
  if (state instanceof GreedyCtc) {
    const [own, logProbs] = [ids.subarray(at, at + frames), scores.subarray(at, at + frames)];
    state.decodeIds(own, logProbs, (frame, count) => candidatesAt(top, at + frame, count));
  } else if (state instanceof PhraseBeam) state.decodeTop(top, at, frames);
  return true;
}
