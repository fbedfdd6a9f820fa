import { isDeepStrictEqual } from 'node:util';
import type { Ledger, PoolGrowth } from '@svc-asr/ledger';

export interface PublisherDependencies {
  pools: Pick<Ledger['pools'], 'configure'>;
  revisions: Pick<Ledger['revisions'], 'weigh'>;
}

/**
 * Writes to the ledger those decisions of a pool that gateways need. `publishChanges` skips values that it has already
 * written.
 */
export class PoolPublisher {
  readonly #model: string;
  readonly #dependencies: PublisherDependencies;
  #growth: PoolGrowth | undefined;
  #weights = '';

  constructor(model: string, dependencies: PublisherDependencies) {
    this.#model = model;
    this.#dependencies = dependencies;
  }

  /** Writes how far the pool can grow, even if that did not change. Creates the pool if the ledger has none. */
  async publishGrowth(growth: PoolGrowth): Promise<void> {
    await this.#dependencies.pools.configure(this.#model, growth);
    this.#growth = growth;
  }

  /** Writes the decisions that changed. Writes no weights if there are none, as for a deleted model or a guest. */
  async publishChanges(growth: PoolGrowth, weights: ReadonlyMap<string, number>): Promise<void> {
    if (!isDeepStrictEqual(growth, this.#growth)) await this.publishGrowth(growth);
    const text = JSON.stringify([...weights]);
    if (weights.size === 0 || text === this.#weights) return;
    await this.#dependencies.revisions.weigh(this.#model, weights);
    this.#weights = text;
  }

  /** Records that nothing is published any more. Call it after the pool was removed from the ledger. */
  reset(): void {
    this.#growth = undefined;
    this.#weights = '';
  }
}
