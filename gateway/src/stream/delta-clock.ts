interface Mark {
  /** Samples of the utterance that had come by then. */
  readonly samples: number;
  readonly atMs: number;
}

/**
 * Times deltas: from the arrival of the last sample that one is about, until it comes. Only audio that comes as it is
 * spoken is timed: a sender that is ahead of its worker waits for itself.
 */
export class DeltaClock {
  private marks: Mark[] = [];

  /** So many samples of the utterance have come; `outstanding`: how many of them the worker has not taken. */
  heard(samples: number, outstanding: number, chunkSamples: number, nowMs: number): void {
    if (outstanding > 2 * chunkSamples) this.marks = [];
    else this.marks.push({ samples, atMs: nowMs });
  }

  /** A delta about the first `audioEnd` samples came; undefined: it cannot be timed. */
  told(audioEnd: number, nowMs: number): number | undefined {
    const mark = this.marks.find(({ samples }) => samples >= audioEnd);
    this.marks = this.marks.filter(({ samples }) => samples > audioEnd);
    return mark && nowMs - mark.atMs;
  }

  /** Another utterance begins, or another worker hears this one. */
  reset(): void {
    this.marks = [];
  }
}
