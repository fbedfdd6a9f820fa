import type { SampleRing } from '../features/logmel.ts';

/**
 * Memory that both threads see. Audio is copied once, into the stream's ring, and read in place by the inference thread; positions
 * count samples from the stream's start, so that full and empty need no flag.
 */
export interface SharedBuffers {
  readonly samples: SharedArrayBuffer;
  readonly positions: SharedArrayBuffer;
  readonly gauges: SharedArrayBuffer;
}

/** Samples a ring holds: about four seconds, a few chunks of the longest context. A power of two. */
export const RING_SAMPLES = 65_536;

const [WRITTEN, CONSUMED, MARKED] = [0, 1, 2];
const PER_SLOT = 3;

/** Memory for this many slots. Pages are touched, and so taken, only when a slot is used. */
export function createSharedBuffers(slots: number): SharedBuffers {
  return {
    samples: new SharedArrayBuffer(slots * RING_SAMPLES * Int16Array.BYTES_PER_ELEMENT),
    positions: new SharedArrayBuffer(slots * PER_SLOT * Int32Array.BYTES_PER_ELEMENT),
    gauges: new SharedArrayBuffer(GAUGES * Float64Array.BYTES_PER_ELEMENT),
  };
}

/** The ring of one slot, from either side: one thread writes, the other consumes. */
export class AudioRing implements SampleRing {
  readonly samples: Int16Array;
  readonly base: number;
  readonly mask = RING_SAMPLES - 1;
  readonly #positions: Int32Array;
  readonly #at: number;

  constructor(shared: SharedBuffers, slot: number) {
    this.samples = new Int16Array(shared.samples);
    this.base = slot * RING_SAMPLES;
    this.#positions = new Int32Array(shared.positions);
    this.#at = slot * PER_SLOT;
  }

  get written(): number {
    return Atomics.load(this.#positions, this.#at + WRITTEN);
  }

  get consumed(): number {
    return Atomics.load(this.#positions, this.#at + CONSUMED);
  }

  /** Ends of utterances that the writer has announced; it does so before it writes what comes after them. */
  get marked(): number {
    return Atomics.load(this.#positions, this.#at + MARKED);
  }

  /** Announces the end of an utterance; what it is follows as a message. */
  mark(): void {
    Atomics.add(this.#positions, this.#at + MARKED, 1);
  }

  /** Starts over for a new stream. */
  clear(): void {
    Atomics.store(this.#positions, this.#at + MARKED, 0);
    Atomics.store(this.#positions, this.#at + WRITTEN, 0);
    Atomics.store(this.#positions, this.#at + CONSUMED, 0);
  }

  /** Gives back what was read. */
  consume(until: number): void {
    Atomics.store(this.#positions, this.#at + CONSUMED, until);
  }

  /** Copies as much as there is room for and answers how much that was. */
  write(audio: Int16Array): number {
    const written = this.written;
    const count = Math.min(audio.length, RING_SAMPLES - (written - this.consumed));
    const at = written & this.mask;
    const head = Math.min(count, RING_SAMPLES - at);
    this.samples.set(audio.subarray(0, head), this.base + at);
    this.samples.set(audio.subarray(head, count), this.base);
    Atomics.store(this.#positions, this.#at + WRITTEN, written + count);
    return count;
  }
}

const GAUGES = 6;

/** Numbers that the inference thread leaves for the main one; each is written by it alone. */
export class Gauges {
  readonly #values: Float64Array;

  constructor(shared: SharedBuffers) {
    this.#values = new Float64Array(shared.gauges);
  }

  /** Grows while the thread is alive: with each run, and on a timer while there is nothing to run. */
  get progress(): number {
    return this.#values[0] ?? 0;
  }

  tick(): void {
    this.#values[0] = this.progress + 1;
  }

  get stats(): EngineStats {
    const [, runs = 0, windows = 0, runCpuMs = 0, runMs = 0, waitMs = 0] = this.#values;
    return { runs, windows, runCpuMs, runMs, waitMs };
  }

  addRun(windows: number, cpuMs: number, ms: number, waitMs: number): void {
    const { runs, windows: before, runCpuMs, runMs, waitMs: waited } = this.stats;
    this.#values.set([runs + 1, before + windows, runCpuMs + cpuMs, runMs + ms, waited + waitMs], 1);
  }
}

/** What the inference thread did so far. */
export interface EngineStats {
  /** Runs of the encoder. */
  readonly runs: number;
  /** Windows in them: windows over runs is the mean batch. */
  readonly windows: number;
  /** CPU time of the inference thread inside the runtime, and wall time. */
  readonly runCpuMs: number;
  readonly runMs: number;
  /** How long windows waited, complete, for their run. */
  readonly waitMs: number;
}
