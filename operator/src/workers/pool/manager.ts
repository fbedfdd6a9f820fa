import type { AsrModel } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { ResourceSource } from '../../source/source.ts';
import { Pool } from './pool.ts';
import type { PoolDependencies } from './pool.ts';
import type { PoolStatus } from './status.ts';

export interface PoolManagerOptions extends PoolDependencies {
  source: Pick<ResourceSource, 'get' | 'unsettled'>;
  /** Time between two reconciles of a pool. */
  intervalMs: number;
  /** Called when the pool of a deleted model was removed after its last worker ended. */
  onRemoved?: (name: string) => void;
}

interface ManagedPool {
  pool: Pool;
  /** True once it is known that the model exists, or that it was deleted. */
  isModelKnown: boolean;
  /** The reconcile that is running. */
  reconcile: Promise<void> | undefined;
}

/** The worker pools of all models. Pools are reconciled independently, so that a slow one does not delay the others. */
export class PoolManager {
  readonly #options: PoolManagerOptions;
  readonly #pools = new Map<string, ManagedPool>();
  /** Models whose pool was removed. The next call of `retire` acknowledges the removal. */
  readonly #removed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PoolManagerOptions) {
    this.#options = options;
  }

  /** Finds the workers of an earlier operator and starts to reconcile all pools. */
  async start(): Promise<void> {
    const { runtime, intervalMs } = this.#options;
    await runtime.open({
      onEnded: ({ id, model }) => this.#poolOf(model).pool.workerEnded(id),
      onChanged: (model) => this.#pools.get(model)?.pool.markChanged(),
    });
    this.#timer = setInterval(() => this.#reconcileAll(), intervalMs);
  }

  /** Creates or updates the pool of a model. Resolves when the ledger has the pool and it was reconciled once. */
  async put(model: AsrModel): Promise<void> {
    const { name } = model.metadata;
    const managed = this.#setModel(name, model);
    await managed.pool.publish();
    // Reconciled now and not at the next tick, so that workers start sooner and the first status written is the final
    // one.
    if (this.#timer !== undefined) await this.#reconcile(name, managed);
  }

  /** Retires the pool of a deleted model: it accepts no sessions, and is removed when its streams have ended. */
  async retire(name: string): Promise<void> {
    if (!this.#removed.delete(name)) await this.#setModel(name, undefined).pool.publish();
  }

  /** Reports whether a model has a pool. The pool of a deleted model counts until its streams have ended. */
  has(name: string): boolean {
    return this.#pools.has(name);
  }

  statuses(): PoolStatus[] {
    return [...this.#pools.values()].map(({ pool }) => pool.status());
  }

  /** Returns undefined if the model has no pool. */
  status(name: string): PoolStatus | undefined {
    return this.#pools.get(name)?.pool.status();
  }

  /** Stops reconciling. The workers continue to run. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#pools.values()].flatMap(({ reconcile }) => reconcile ?? []));
  }

  #poolOf(name: string): ManagedPool {
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    const managed: ManagedPool = { pool: new Pool(name, this.#options), isModelKnown: false, reconcile: undefined };
    this.#pools.set(name, managed);
    return managed;
  }

  /** Sets the model of a pool. Undefined if the model was deleted. */
  #setModel(name: string, model: AsrModel | undefined): ManagedPool {
    this.#removed.delete(name);
    const managed = this.#poolOf(name);
    managed.pool.setModel(model);
    managed.isModelKnown = true;
    return managed;
  }

  #reconcileAll(): void {
    this.#retireUnknown();
    for (const [name, managed] of this.#pools) {
      if (managed.isModelKnown) void this.#reconcile(name, managed);
    }
  }

  /** Retires pools whose model was deleted while no operator ran. */
  #retireUnknown(): void {
    const { runtime, source } = this.#options;
    if (source.unsettled() !== undefined) return;
    for (const name of new Set([...runtime.models(), ...this.#pools.keys()])) {
      const isKnown = this.#pools.get(name)?.isModelKnown === true || source.get('ASRModel', name) !== undefined;
      if (!isKnown) this.#setModel(name, undefined);
    }
  }

  /** Reconciles a pool. A call during a reconcile waits for that one. */
  #reconcile(name: string, managed: ManagedPool): Promise<void> {
    managed.reconcile ??= this.#reconcileOnce(name, managed.pool).finally(() => {
      managed.reconcile = undefined;
    });
    return managed.reconcile;
  }

  async #reconcileOnce(name: string, pool: Pool): Promise<void> {
    const { report, onRemoved } = this.#options;
    try {
      const continues = await pool.reconcile();
      report.succeeded(name);
      if (continues) return;
      this.#pools.delete(name);
      this.#removed.add(name);
      onRemoved?.(name);
    } catch (error) {
      // An unavailable ledger is reported as unknown load, not as a failure of each pool.
      if (!(error instanceof LedgerUnavailable)) report.failed(name, error);
    }
  }
}
