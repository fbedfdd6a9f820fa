import type { Ledger } from '@svc-asr/ledger';

export interface PublisherDependencies {
  pools: Pick<Ledger['pools'], 'configure'>;
  revisions: Pick<Ledger['revisions'], 'weigh'>;
}

/** Writes the decisions of a pool that gateways need to the ledger. Writes nothing that the ledger has already. */
export class PoolPublisher {
  readonly #model: string;
  readonly #dependencies: PublisherDependencies;
  #canGrow: boolean | undefined;
  #weights = '';

  constructor(model: string, dependencies: PublisherDependencies) {
    this.#model = model;
    this.#dependencies = dependencies;
  }

  /** Writes whether the pool can grow, even if that did not change. Creates the pool in the ledger. */
  async publishCanGrow(canGrow: boolean): Promise<void> {
    await this.#dependencies.pools.configure(this.#model, { canGrow });
    this.#canGrow = canGrow;
    this.#weights = '';
  }

  /** Writes the decisions that changed. No weights are written for a deleted model. */
  async publishChanges(canGrow: boolean, weights: ReadonlyMap<string, number>): Promise<void> {
    if (canGrow !== this.#canGrow) await this.publishCanGrow(canGrow);
    const text = JSON.stringify([...weights]);
    if (weights.size === 0 || text === this.#weights) return;
    await this.#dependencies.revisions.weigh(this.#model, weights);
    this.#weights = text;
  }

  /** Call after the pool was removed from the ledger. */
  reset(): void {
    this.#canGrow = undefined;
  }
}
