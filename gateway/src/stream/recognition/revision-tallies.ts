import { LATENCY_BOUNDS_MS, latencyBucket } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';

interface Tally {
  model: string;
  revision: string;
  streams: number;
  failures: number;
  latencies: number[];
}

/** Counts how streams fare on each revision of a model, and tells the ledger now and then: a rollout goes by it. */
export class RevisionTallies {
  readonly #add: Ledger['revisions']['add'];
  #tallies = new Map<string, Tally>();

  constructor(revisions: Pick<Ledger['revisions'], 'add'>) {
    this.#add = revisions.add;
  }

  /** A stream left a worker; `failed`: because of the worker. */
  countStream(model: string, revision: string, failed: boolean): void {
    const tally = this.#of(model, revision);
    tally.streams++;
    if (failed) tally.failures++;
  }

  countDelta(model: string, revision: string, latencyMs: number): void {
    const { latencies } = this.#of(model, revision);
    const bucket = latencyBucket(latencyMs);
    latencies[bucket] = (latencies[bucket] ?? 0) + 1;
  }

  /** Tells what was counted since; what cannot be told is told next time. */
  async write(): Promise<void> {
    const tallies = this.#tallies;
    this.#tallies = new Map();
    for (const [key, tally] of tallies) {
      try {
        await this.#add(tally.model, tally.revision, tally);
        tallies.delete(key);
      } catch (error) {
        for (const rest of tallies.values()) this.#merge(rest);
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
