import { GreedyCtc } from '../../decode/ctc.ts';
import type { BatchResult, DeviceBatch } from '../../native/batch.ts';
import { CudaError } from '../../native/error.ts';
import type { DeviceGraph } from '../../native/graph.ts';
import { DeviceLost } from '../backend.ts';
import type { OnRun, Runner, Work } from '../backend.ts';
import type { Lane } from '../lane.ts';
import type { StreamEvent } from '../protocol.ts';
import type { ArenaLayout } from './pages.ts';
import { encodedFrames, fillRow } from './rows.ts';
import type { RowShape } from './rows.ts';

/** The graph of one context with the sizes of its rows. */
export interface DeviceContext {
  readonly graph: DeviceGraph;
  readonly rows: RowShape;
}

/** Runs windows with graphs whose state stays in device memory. Features are part of the graphs. */
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
    const [cpu, startedMs] = [process.threadCpuUsage(), performance.now()];
    try {
      const rows = this.#submit(context, batch);
      const spent = process.threadCpuUsage(cpu);
      const result = await rows.collected();
      const nowMs = performance.now();
      const waits = batch.map(({ lane: { readyMs = startedMs } }) => Math.max(0, startedMs - readyMs));
      const waitMs = waits.reduce((sum, wait) => sum + wait, 0);
      this.#onRun(batch.length, (spent.user + spent.system) / 1000, nowMs - startedMs, waitMs);
      return batch.flatMap(({ lane, length }, row) => {
        // Runs write the arena in their order. A stream that follows a closed one in its slot starts with the zero page,
        // so it never reads what this run has written.
        if (!isOpen(lane)) return [];
        lane.ran(nowMs, { batch: batch.length, runMs: nowMs - startedMs, waitMs: waits[row] ?? 0 });
        return search(lane, length, row * context.rows.chunk, result);
      });
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

/** Advances a stream by the results of its row. A score that is not a number fails only this stream. */
function search(lane: Lane, length: number, at: number, { ids, scores }: BatchResult): StreamEvent[] {
  const end = at + encodedFrames(length);
  for (let i = at; i < end; i++) {
    if (!Number.isFinite(scores[i])) {
      return [{ id: lane.id, kind: 'failed', message: 'the model returned a score that is not a number' }];
    }
  }
  const { state } = lane.search;
  if (state instanceof GreedyCtc) state.decodeIds(ids.subarray(at, end));
  return lane.advance(end - at);
}
