import type { StreamParts, StreamSession } from '../session.ts';
import { DeltaClock } from './delta-clock.ts';
import type { Utterance } from './utterance.ts';
import type { Utterances } from './utterances.ts';

/** Records the latency of the deltas of a stream. */
export class DeltaLatency {
  readonly #tallies: StreamParts['tallies'];
  readonly #session: StreamSession;
  readonly #utterances: Utterances;
  readonly #clock = new DeltaClock();
  /** Utterance for which the clock has marked arrivals. */
  #marked: Utterance | undefined;

  constructor({ tallies }: Pick<StreamParts, 'tallies'>, session: StreamSession, utterances: Utterances) {
    this.#tallies = tallies;
    this.#session = session;
    this.#utterances = utterances;
  }

  /** Call after audio was appended to the current utterance. */
  markArrival(chunkSamples: number, nowMs: number): void {
    const { current, outstanding } = this.#utterances;
    if (current !== this.#marked) this.#clock.reset();
    this.#marked = current;
    this.#clock.markArrival(current.samples, outstanding, chunkSamples, nowMs);
  }

  /**
   * Records the latency of a delta from a worker of this revision. Nothing is recorded while the worker must still
   * answer an earlier utterance. The later audio waits for that answer, so its latency would not show the speed of the
   * worker.
   */
  record(revision: string, audioEnd: number, nowMs: number): void {
    if (this.#utterances.owed || this.#utterances.current !== this.#marked) return;
    const latencyMs = this.#clock.takeLatency(audioEnd, nowMs);
    if (latencyMs === undefined) return;
    this.#tallies.countDelta(this.#session.model, revision, latencyMs);
    this.#session.watch.recordDelta(latencyMs);
  }

  /** Drops the arrival times. Call when another worker takes over. */
  reset(): void {
    this.#clock.reset();
  }
}
