import type { SampleRing } from '../features/logmel.ts';
import { createFreeSlots } from './free-slots.ts';
import type { FreeSlotsMemory } from './free-slots.ts';
import { binOf, SLOWDOWN_BINS } from './slowdown.ts';

/**
 * Memory that the inference thread shares with the threads that serve streams. A thread that serves a stream copies the
 * audio into the ring of the stream. The inference thread computes features from the ring, or copies audio from the
 * ring to the inputs of GPU graphs. Positions count samples from the start of the stream, so no flag is needed to
 * distinguish a full ring from an empty one.
 */
export interface SharedBuffers {
  readonly samples: SharedArrayBuffer;
  readonly positions: SharedArrayBuffer;
  readonly gauges: SharedArrayBuffer;
  /** Slots that no stream holds. */
  readonly free: FreeSlotsMemory;
}

/**
 * Capacity of a ring in samples: about four seconds of audio. A ring has room for a few chunks, even of the context
 * with the largest chunks. Must be a power of two.
 */
export const RING_SAMPLES = 65_536;
/**
 * Number of samples that a stream always accepts after the position in its last `consumed` event. This is less than the
 * capacity of the ring. With GPU graphs, some audio stays in the ring after it was reported as consumed, because the
 * next window computes its history from this audio.
 */
export const BUFFER_SAMPLES = RING_SAMPLES - 2048;

const BYTES_PER_SAMPLE = Int16Array.BYTES_PER_ELEMENT;
const [WRITTEN, CONSUMED, MARKED] = [0, 1, 2];
const PER_SLOT = 3;

/** Allocates memory for this number of slots. The kernel provides the pages of a slot only when the slot is used. */
export function createSharedBuffers(slots: number): SharedBuffers {
  return {
    samples: new SharedArrayBuffer(slots * RING_SAMPLES * Int16Array.BYTES_PER_ELEMENT),
    positions: new SharedArrayBuffer(slots * PER_SLOT * Int32Array.BYTES_PER_ELEMENT),
    gauges: new SharedArrayBuffer(GAUGES * Float64Array.BYTES_PER_ELEMENT),
    free: createFreeSlots(slots),
  };
}

/**
 * The audio ring of one slot. One thread writes and another thread consumes. Each of the two threads has an AudioRing
 * object for the same memory.
 */
export class AudioRing implements SampleRing {
  readonly samples: Int16Array;
  readonly base: number;
  readonly mask = RING_SAMPLES - 1;
  /**
   * The samples of this slot as bytes. A Buffer copies shared memory in one call, but a typed array copies element by
   * element. The Buffer contains only one slot, because `copy` truncates offsets to 32 bits.
   */
  readonly #bytes: Buffer;
  readonly #positions: Int32Array;
  readonly #at: number;
  /**
   * Last known positions, without wrap-around. The shared positions have 32 bits and wrap around after 37 hours of
   * audio.
   */
  #written = 0;
  #consumed = 0;

  constructor(shared: SharedBuffers, slot: number) {
    this.samples = new Int16Array(shared.samples);
    this.base = slot * RING_SAMPLES;
    this.#bytes = Buffer.from(shared.samples, this.base * BYTES_PER_SAMPLE, RING_SAMPLES * BYTES_PER_SAMPLE);
    this.#positions = new Int32Array(shared.positions);
    this.#at = slot * PER_SLOT;
  }

  get written(): number {
    this.#written += (Atomics.load(this.#positions, this.#at + WRITTEN) - this.#written) | 0;
    return this.#written;
  }

  get consumed(): number {
    this.#consumed += (Atomics.load(this.#positions, this.#at + CONSUMED) - this.#consumed) | 0;
    return this.#consumed;
  }

  /**
   * Number of utterance ends that the writer has announced. The writer announces an end before it writes audio of the
   * next utterance.
   */
  get marked(): number {
    return Atomics.load(this.#positions, this.#at + MARKED);
  }

  /** Announces the end of an utterance. The writer then sends a message that names the kind of the end. */
  mark(): void {
    Atomics.add(this.#positions, this.#at + MARKED, 1);
  }

  /** Resets the ring for a new stream. */
  clear(): void {
    [this.#written, this.#consumed] = [0, 0];
    Atomics.store(this.#positions, this.#at + MARKED, 0);
    Atomics.store(this.#positions, this.#at + WRITTEN, 0);
    Atomics.store(this.#positions, this.#at + CONSUMED, 0);
  }

  /** Releases all samples before `until`. */
  consume(until: number): void {
    Atomics.store(this.#positions, this.#at + CONSUMED, until);
  }

  /** Copies as many samples as the ring has room for. Returns the number of copied samples. */
  write(audio: Int16Array): number {
    const written = this.written;
    const count = Math.min(audio.length, RING_SAMPLES - (written - this.consumed));
    const at = written & this.mask;
    const head = Math.min(count, RING_SAMPLES - at);
    const bytes = Buffer.from(audio.buffer, audio.byteOffset, count * BYTES_PER_SAMPLE);
    bytes.copy(this.#bytes, at * BYTES_PER_SAMPLE, 0, head * BYTES_PER_SAMPLE);
    bytes.copy(this.#bytes, 0, head * BYTES_PER_SAMPLE);
    Atomics.store(this.#positions, this.#at + WRITTEN, written + count);
    return count;
  }

  /** Copies `count` samples, starting at position `from`, to `out`. These samples must be in the ring. */
  read(from: number, count: number, out: Int16Array, offset: number): void {
    const at = from & this.mask;
    const head = Math.min(count, RING_SAMPLES - at);
    const bytes = Buffer.from(out.buffer, out.byteOffset + offset * BYTES_PER_SAMPLE, count * BYTES_PER_SAMPLE);
    this.#bytes.copy(bytes, 0, at * BYTES_PER_SAMPLE, (at + head) * BYTES_PER_SAMPLE);
    this.#bytes.copy(bytes, head * BYTES_PER_SAMPLE, 0, (count - head) * BYTES_PER_SAMPLE);
  }
}

/** Names of the figures that a run adds to the totals, in the order of their totals in memory. */
const RUN_FIGURES = [
  'windows',
  'runCpuMs',
  'runMs',
  'waitMs',
  'copyInMs',
  'computeMs',
  'copyOutMs',
  'hostMs',
] as const satisfies readonly (keyof EngineStats)[];
/**
 * Positions of the remaining values in memory, after the progress counter, the number of runs and the totals of
 * RUN_FIGURES.
 */
const LATE_AT = 2 + RUN_FIGURES.length;
const BUSY_AT = LATE_AT + 1;
const SLOWDOWNS_AT = BUSY_AT + 1;
const GAUGES = SLOWDOWNS_AT + SLOWDOWN_BINS;

/** Counters that the inference thread writes and other threads read. */
export class Gauges {
  readonly #values: Float64Array;

  constructor(shared: SharedBuffers) {
    this.#values = new Float64Array(shared.gauges);
  }

  /** Counter that increases while the thread is alive: after each batch, and on a timer while it is idle. */
  get progress(): number {
    return this.#values[0] ?? 0;
  }

  tick(): void {
    this.#values[0] = this.progress + 1;
  }

  get stats(): EngineStats {
    const figures = RUN_FIGURES.map((name, i) => [name, this.#values[2 + i] ?? 0]);
    return { runs: this.#values[1] ?? 0, ...(Object.fromEntries(figures) as unknown as RunFigures) };
  }

  /** Number of real-time streams whose next window has been ready for too long. */
  get lateStreams(): number {
    return this.#values[LATE_AT] ?? 0;
  }

  set lateStreams(count: number) {
    this.#values[LATE_AT] = count;
  }

  get runTotals(): RunTotals {
    return { busyMs: this.#values[BUSY_AT] ?? 0, slowdowns: [...this.#values.subarray(SLOWDOWNS_AT)] };
  }

  /** Adds the duration of a run to the totals. `expectedMs` is the duration that the run would have had at warm-up. */
  addRunTime(runMs: number, expectedMs: number): void {
    if (!(expectedMs > 0)) return;
    this.#values[BUSY_AT] = (this.#values[BUSY_AT] ?? 0) + runMs;
    const bin = SLOWDOWNS_AT + binOf(runMs / expectedMs);
    this.#values[bin] = (this.#values[bin] ?? 0) + expectedMs;
  }

  addRun(run: RunFigures): void {
    this.#values[1] = (this.#values[1] ?? 0) + 1;
    for (const [i, name] of RUN_FIGURES.entries()) this.#values[2 + i] = (this.#values[2 + i] ?? 0) + run[name];
  }
}

/** Totals of the inference thread since it started. */
export interface EngineStats {
  /** Number of runs of the encoder. */
  readonly runs: number;
  /** Number of windows in these runs. The mean batch size is `windows` divided by `runs`. */
  readonly windows: number;
  /**
   * CPU time of the inference thread in runs of the encoder. With GPU graphs, the CPU time that this thread spends on
   * batches.
   */
  readonly runCpuMs: number;
  /** Wall time of the runs. Runs can overlap on a GPU. */
  readonly runMs: number;
  /** Total time for which complete windows waited for the start of their runs. */
  readonly waitMs: number;
  /** Time in which the device copies inputs. A CPU copies nothing. */
  readonly copyInMs: number;
  /** Time in which the device runs graphs. */
  readonly computeMs: number;
  /** Time in which the device copies results. A CPU copies nothing. */
  readonly copyOutMs: number;
  /**
   * Time that the inference thread spends on the inputs and results of runs. On a CPU, this includes features and
   * search.
   */
  readonly hostMs: number;
}

/** Times of all runs since the engine started. Overlapping time counts once. */
export interface RunTotals {
  readonly busyMs: number;
  /**
   * Histogram of the slowdowns of runs. Each run adds the duration that it would have had at warm-up to the bin of its
   * slowdown.
   */
  readonly slowdowns: readonly number[];
}

/** Figures of one run. */
export type RunFigures = Omit<EngineStats, 'runs'>;
