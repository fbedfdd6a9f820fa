interface Mark {
  /** Samples of the utterance that had arrived at that time. */
  readonly samples: number;
  readonly atMs: number;
}

/** Number of chunks whose arrival is kept. A worker may be 4 chunks behind before the sender is slowed down. */
const MAX_MARKS = 8;

/** Returns false if the sender is ahead of its worker. A latency would then measure the sender, not the service. */
export function isTimely(outstandingSamples: number, chunkSamples: number): boolean {
  return outstandingSamples <= 2 * chunkSamples;
}

/**
 * Measures the latency of deltas: the time from the arrival of the last sample that a delta covers to the delta itself.
 * Only audio that arrives at real-time pace is measured.
 */
export class DeltaClock {
  #marks: Mark[] = [];

  /**
   * Records that the first `samples` samples of the utterance have arrived. The worker has not consumed `outstanding`
   * of them.
   */
  markArrival(samples: number, outstanding: number, chunkSamples: number, nowMs: number): void {
    const last = this.#marks.at(-1);
    const lastChunk = last === undefined ? -1 : Math.floor(last.samples / chunkSamples);
    if (!isTimely(outstanding, chunkSamples)) this.#marks = [];
    // One mark for each chunk is enough. The number is limited because silence produces no delta that would remove
    // marks.
    else if (Math.floor(samples / chunkSamples) > lastChunk)
      this.#marks = [...this.#marks.slice(1 - MAX_MARKS), { samples, atMs: nowMs }];
  }

  /**
   * Returns the latency of a delta that covers the first `audioEnd` samples, and drops their marks. Undefined if it
   * cannot be measured.
   */
  takeLatency(audioEnd: number, nowMs: number): number | undefined {
    const mark = this.#marks.find(({ samples }) => samples >= audioEnd);
    this.#marks = this.#marks.filter(({ samples }) => samples > audioEnd);
    return mark === undefined ? undefined : nowMs - mark.atMs;
  }

  /** Call when another utterance starts or another worker takes over. */
  reset(): void {
    this.#marks = [];
  }
}
