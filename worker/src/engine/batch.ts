import { LogMel } from '../features/logmel.ts';
import type { Model } from '../model/load.ts';
import { audioSize } from '../model/scratch.ts';
import type { CachePool } from './caches.ts';
import type { Lane } from './lane.ts';
import type { StreamEvent } from './protocol.ts';
import { searchBatch } from './search.ts';
import { fillWindow } from './window.ts';

/**
 * Called after each run of the encoder. `windows` is the number of streams in it. `cpuMs` and `ms` are the CPU and wall
 * time inside onnxruntime. `waitMs` is the total time that its windows were queued.
 */
export type OnRun = (windows: number, cpuMs: number, ms: number, waitMs: number) => void;

/** A lane whose next window is ready. */
export interface Work {
  readonly lane: Lane;
  /** Feature frames of the window that hold audio. */
  readonly length: number;
}

/** Runs one window of several streams of a context together. */
export class BatchRunner {
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

  /**
   * Encodes and decodes one window of each stream. All lanes must share an encoder. Streams for which `isOpen` returns
   * false after the run, or after the search, are skipped.
   */
  async run(batch: readonly Work[], isOpen: (lane: Lane) => boolean): Promise<StreamEvent[]> {
    const encoder = batch[0]?.lane.encoder;
    if (encoder === undefined) return [];
    const { scratch } = encoder;
    batch.forEach((work, place) => {
      this.#fill(work, place);
    });
    const [cpu, started] = [process.threadCpuUsage(), performance.now()];
    await encoder.run(batch.length);
    const spent = process.threadCpuUsage(cpu);
    const now = performance.now();
    const waitedMs = ({ readyMs = started }: Lane) => Math.max(0, started - readyMs);
    const waitMs = batch.reduce((sum, { lane }) => sum + waitedMs(lane), 0);
    this.#onRun(batch.length, (spent.user + spent.system) / 1000, now - started, waitMs);

    const kept = batch.flatMap(({ lane }, place) =>
      isOpen(lane) ? [{ lane, place, search: lane.search, frames: Number(scratch.encodedLengths[place] ?? 0n) }] : [],
    );
    await searchBatch(this.#model, encoder, kept);
    // A transducer search runs graphs of its own. Meanwhile a stream may have closed, and another stream may hold its
    // slot.
    const open = kept.filter(({ lane }) => isOpen(lane));
    return open.flatMap(({ lane, place, frames }) => {
      this.#caches.save(lane.slot, scratch, place);
      lane.ran(now, { batch: batch.length, runMs: now - started, waitMs: waitedMs(lane) });
      return lane.advance(frames);
    });
  }

  #fill({ lane, length }: Work, place: number): void {
    const { shape, scratch } = lane.encoder;
    const { ring, start, end, window: index, history } = lane;
    const source = { ring, start, end, index, length, history };
    fillWindow(this.#logMel, shape.framing, source, scratch.audio, place * audioSize(shape));
    scratch.lengths[place] = BigInt(length);
    this.#caches.load(lane.slot, scratch, place, index === 0);
  }
}
