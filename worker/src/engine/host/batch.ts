import { LogMel } from '../../features/logmel.ts';
import type { Model } from '../../model/load.ts';
import type { Encoder } from '../../model/encoder.ts';
import { audioSize } from '../../model/scratch.ts';
import type { OnRun, Runner, Work } from '../backend.ts';
import type { Lane } from '../lane.ts';
import type { StreamEvent } from '../protocol.ts';
import type { CachePool } from './caches.ts';
import { searchBatch } from './search.ts';
import { copyColumns, fillWindow } from './window.ts';

/**
 * Runs one window of each of several streams together. All streams have the same context. This thread computes the
 * features and the search.
 */
export class BatchRunner implements Runner {
  readonly #model: Model;
  readonly #caches: CachePool;
  readonly #logMel: LogMel;
  readonly #onRun: OnRun;

  constructor(model: Model, caches: CachePool, mels: number, onRun: OnRun) {
    this.#model = model;
    this.#caches = caches;
    this.#logMel = new LogMel(mels);
    this.#onRun = onRun;
  }

  async run(batch: readonly Work[], isOpen: (lane: Lane) => boolean): Promise<StreamEvent[]> {
    const encoder = this.#model.encoders.get(batch[0]?.lane.context ?? '');
    if (encoder === undefined) return [];
    const { scratch } = encoder;
    const calledMs = performance.now();
    batch.forEach((work, place) => {
      this.#fill(encoder, work, place);
    });
    const [cpu, started] = [process.threadCpuUsage(), performance.now()];
    await encoder.run(batch.length);
    const spent = process.threadCpuUsage(cpu);
    const now = performance.now();
    const waitedMs = ({ readyMs = started }: Lane) => Math.max(0, started - readyMs);
    const waitMs = batch.reduce((sum, { lane }) => sum + waitedMs(lane), 0);

    const kept = batch.flatMap(({ lane, leastPieces }, place) => {
      const frames = Number(scratch.encodedLengths[place] ?? 0n);
      return isOpen(lane) ? [{ lane, place, search: lane.search, frames, leastPieces }] : [];
    });
    await searchBatch(this.#model, encoder, kept);
    // A transducer search takes time. A stream may have closed during the search, and another stream may have taken its
    // slot. So closed streams are skipped.
    const open = kept.filter(({ lane }) => isOpen(lane));
    const events = open.flatMap(({ lane, place, frames }) => {
      lane.ran(now, { batch: batch.length, runMs: now - started, waitMs: waitedMs(lane) });
      const advanced = lane.advance(frames);
      if (lane.isRewound) this.#restoreHistory(encoder, lane, place);
      else this.#caches.save(lane.slot, scratch, place);
      return advanced;
    });
    this.#onRun({
      windows: batch.length,
      runCpuMs: (spent.user + spent.system) / 1000,
      runMs: now - started,
      waitMs,
      copyInMs: 0,
      computeMs: now - started,
      copyOutMs: 0,
      hostMs: started - calledMs + performance.now() - now,
    });
    return events;
  }

  /**
   * Restores the history of a slot before its window is run again. The history is the features at the end of the
   * previous window. The input of the current window starts with the same features, so they are copied from the input.
   */
  #restoreHistory({ shape, scratch }: Encoder, { slot }: Lane, place: number): void {
    const { window, shift } = shape.framing;
    const [from, kept] = [place * audioSize(shape), window - shift];
    copyColumns(scratch.audio, from, window, this.#caches.historyOf(slot), 0, kept, shape.mels, kept);
  }

  #fill({ shape, scratch }: Encoder, { lane, length }: Work, place: number): void {
    const { ring, start, end, window: index } = lane;
    const history = this.#caches.historyOf(lane.slot);
    const source = { ring, start, end, index, length, history };
    fillWindow(this.#logMel, shape.framing, source, scratch.audio, place * audioSize(shape));
    scratch.lengths[place] = BigInt(length);
    this.#caches.load(lane.slot, scratch, place, index === 0);
  }
}
