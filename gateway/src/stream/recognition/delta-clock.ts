interface Mark {
  /** Samples of the utterance that had come by then. */
  readonly samples: number;
  readonly atMs: number;
}

/** So many chunks a worker is behind before its sender is slowed down, and some more. */
const MAX_MARKS = 8;

/** False where a sender is ahead of its worker: what it waits for then is itself. */
export function isTimely(outstandingSamples: number, chunkSamples: number): boolean {
  return outstandingSamples <= 2 * chunkSamples;
}

/**
 * Times deltas: from the arrival of the last sample that one is about, until it comes. Only audio that comes as it is
 * spoken is timed: a sender that is ahead of its worker waits for itself.
 */
export class DeltaClock {
  #marks: Mark[] = [];

  /** So many samples of the utterance have come; `outstanding`: how many of them the worker has not taken. */
  markArrival(samples: number, outstanding: number, chunkSamples: number, nowMs: number): void {
    const last = this.#marks.at(-1);
    const lastChunk = last === undefined ? -1 : Math.floor(last.samples / chunkSamples);
    if (!isTimely(outstanding, chunkSamples)) this.#marks = [];
    // One mark for each chunk is enough, and where nobody speaks no delta comes to take them away.
    else if (Math.floor(samples / chunkSamples) > lastChunk)
      this.#marks = [...this.#marks.slice(1 - MAX_MARKS), { samples, atMs: nowMs }];
  }

  /** A delta about the first `audioEnd` samples came; undefined: it cannot be timed. */
  takeLatency(audioEnd: number, nowMs: number): number | undefined {
    const mark = this.#marks.find(({ samples }) => samples >= audioEnd);
    this.#marks = this.#marks.filter(({ samples }) => samples > audioEnd);
    return mark && nowMs - mark.atMs;
  }

  /** Another utterance begins, or another worker hears this one. */
  reset(): void {
    this.#marks = [];
  }
}
