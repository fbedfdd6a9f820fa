interface Mark {
  /** Number of samples of the utterance that had arrived by `atMs`. */
  readonly samples: number;
  readonly atMs: number;
}

/**
 * Number of chunks whose arrival times are kept. More are not needed, because nothing is measured while the worker is
 * more than two chunks behind (see `isTimely`).
 */
const MAX_MARKS = 8;

/**
 * Returns true if the worker has at most two chunks of audio left to consume. If it has more, the client is assumed to
 * send faster than real time. A measured latency would then show how far the client is ahead, and not how fast the
 * service is.
 */
export function isTimely(outstandingSamples: number, chunkSamples: number): boolean {
  return outstandingSamples <= 2 * chunkSamples;
}

/**
 * Measures the latency of deltas: the time from the arrival of the last sample that a delta covers to the delta itself.
 * It measures only audio that arrives at real-time pace.
 */
export class DeltaClock {
  #marks: Mark[] = [];

  /**
   * Records that the first `samples` samples of the utterance have arrived. `outstanding` is the number of samples that
   * the worker has not consumed.
   */
  markArrival(samples: number, outstanding: number, chunkSamples: number, nowMs: number): void {
    const last = this.#marks.at(-1);
    const lastChunk = last === undefined ? -1 : Math.floor(last.samples / chunkSamples);
    if (!isTimely(outstanding, chunkSamples)) this.#marks = [];
    // One mark per chunk is enough. The oldest marks are dropped beyond MAX_MARKS. Otherwise marks would accumulate
    // during silence, because only deltas remove marks, and silence causes no deltas.
    else if (Math.floor(samples / chunkSamples) > lastChunk)
      this.#marks = [...this.#marks.slice(1 - MAX_MARKS), { samples, atMs: nowMs }];
  }

  /**
   * Returns the latency of a delta that covers the first `audioEnd` samples, and drops the marks of these samples.
   * Undefined if the latency cannot be measured.
   */
  takeLatency(audioEnd: number, nowMs: number): number | undefined {
    const mark = this.#marks.find(({ samples }) => samples >= audioEnd);
    this.#marks = this.#marks.filter(({ samples }) => samples > audioEnd);
    return mark === undefined ? undefined : nowMs - mark.atMs;
  }

  /** Drops all marks. Call when another utterance starts or another worker takes over. */
  reset(): void {
    this.#marks = [];
  }
}
