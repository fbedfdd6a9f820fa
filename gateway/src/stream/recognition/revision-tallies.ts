import { LATENCY_BOUNDS_MS, latencyBucket } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';

interface Tally {
  model: string;
  revision: string;
  streams: number;
  failures: number;
  latencies: number[];
}

/**
 * Counts streams, worker failures and delta latencies by revision of a model. Writes the counts to the ledger at
 * intervals. The operator uses them to decide about rollouts.
 */
export class RevisionTallies {
  readonly #add: Ledger['revisions']['add'];
  #tallies = new Map<string, Tally>();

  constructor(revisions: Pick<Ledger['revisions'], 'add'>) {
    this.#add = revisions.add;
  }

  /** Counts a stream that has left a worker. `failed` is true if the stream left because the worker failed. */
  countStream(model: string, revision: string, failed: boolean): void {
    const tally = this.#of(model, revision);
    tally.streams++;
    if (failed) tally.failures++;
  }

  /** Counts the latency of a delta. */
  countDelta(model: string, revision: string, latencyMs: number): void {
    const { latencies } = this.#of(model, revision);
    const bucket = latencyBucket(latencyMs);
    latencies[bucket] = (latencies[bucket] ?? 0) + 1;
  }

  /** Adds to the ledger what was counted since the last write. Counts whose write fails are kept for the next call. */
  async write(): Promise<void> {
    const tallies = this.#tallies;
    this.#tallies = new Map();
    for (const [key, tally] of tallies) {
      try {
        await this.#add(tally.model, tally.revision, tally);
        tallies.delete(key);
      } catch (error) {
        for (const unwritten of tallies.values()) this.#merge(unwritten);
        throw error;
      }
    }
  }

  #of(model: string, revision: string): Tally {
    const key = `${model} ${revision}`;
    const known = this.#tallies.get(key);
    if (known !== undefined) return known;
    const latencies = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
    const tally = { model, revision, streams: 0, failures: 0, latencies };
    this.#tallies.set(key, tally);
    return tally;
  }

  #merge({ model, revision, streams, failures, latencies }: Tally): void {
    const tally = this.#of(model, revision);
    tally.streams += streams;
    tally.failures += failures;
    for (const [bucket, count] of latencies.entries()) tally.latencies[bucket] = (tally.latencies[bucket] ?? 0) + count;
  }
}
