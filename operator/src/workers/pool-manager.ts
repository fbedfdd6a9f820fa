import type { AsrModel } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { ResourceSource } from '../source/source.ts';
import { findGuests, findHost } from './hosting/find-host.ts';
import { HostedPool } from './hosting/hosted-pool.ts';
import type { Host } from './hosting/hosted-pool.ts';
import { withGuestRevisions, withGuestWorkers } from './hosting/shared-workers.ts';
import type { StartFailure } from './runtime.ts';
import type { ModelPool } from './pool/model-pool.ts';
import { Pool } from './pool/pool.ts';
import type { PoolDependencies } from './pool/dependencies.ts';
import type { PoolStatus } from './pool/status.ts';

export interface PoolManagerOptions extends PoolDependencies {
  source: Pick<ResourceSource, 'get' | 'list' | 'unsettled'>;
  /** Returns the namespace of a model whose resource exists, even if the resource is being deleted. */
  namespaceOf?: (model: string) => string | undefined;
  /** Time between two reconciles of a pool. */
  intervalMs: number;
  /** Called when the pool of a deleted model was removed after its last worker ended. */
  onRemoved?: (name: string) => void;
}

interface ManagedPool {
  pool: ModelPool;
  /** Guests that the workers of this model serve. */
  guests: readonly AsrModel[];
  /** True once it is known whether the model exists or was deleted. */
  isModelKnown: boolean;
  /** The reconcile that is running. */
  reconcile: Promise<void> | undefined;
}

/** The worker pools of all models. Pools are reconciled independently, so that a slow one does not delay the others. */
export class PoolManager {
  readonly #options: PoolManagerOptions;
  /** Dependencies of pools with workers of their own. */
  readonly #dependencies: PoolDependencies;
  readonly #pools = new Map<string, ManagedPool>();
  /**
   * Models whose pool was removed. The next `retire` of such a model only removes its name from this set. Otherwise
   * `retire` would create a new pool for the model.
   */
  readonly #removed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PoolManagerOptions) {
    this.#options = options;
    const guestsOf = (host: string) => (this.#pools.get(host)?.guests ?? []).map(({ metadata }) => metadata.name);
    this.#dependencies = {
      ...options,
      workers: withGuestWorkers(options.workers, guestsOf),
      revisions: withGuestRevisions(options.revisions, guestsOf),
      guestDemand: (host) => Math.max(0, ...guestsOf(host).map((guest) => this.#hostedPool(guest)?.demand ?? 0)),
      guestViews: (host) => guestsOf(host).flatMap((guest) => this.#hostedPool(guest)?.view ?? []),
    };
  }

  /** Finds the workers of an earlier operator and starts to reconcile all pools. */
  async start(): Promise<void> {
    const { runtime, intervalMs } = this.#options;
    await runtime.open({
      onEnded: ({ id, model }) => {
        const { pool, guests } = this.#poolOf(model);
        pool.workerEnded(id);
        for (const { metadata } of guests) this.#pools.get(metadata.name)?.pool.workerEnded(id);
      },
      onChanged: (model) => this.#pools.get(model)?.pool.markChanged(),
    });
    this.#timer = setInterval(() => this.#reconcileAll(), intervalMs);
  }

  /**
   * Creates or updates the pool of a model. Resolves when the pool is stored in the ledger. If the manager was started,
   * also waits for a reconcile of the pool.
   */
  async put(model: AsrModel): Promise<void> {
    const { name } = model.metadata;
    await this.#chooseKind(name, model);
    const managed = this.#setModel(name, model);
    this.#updateHosts(name, model.spec.hostedBy);
    await managed.pool.publish();
    // The pool is reconciled now and not at the next tick. Workers then start sooner, and the first status that is
    // written is up to date.
    if (this.#timer !== undefined) await this.#reconcile(name, managed);
  }

  /**
   * Retires the pool of a deleted model. The pool no longer grows. A worker ends when it has no streams. After the
   * drain timeout, the remaining workers drain. The pool is removed after its last worker has ended.
   */
  async retire(name: string): Promise<void> {
    if (!this.#removed.delete(name)) await this.#setModel(name, undefined).pool.publish();
    this.#updateHosts(name, undefined);
  }

  /** Reports whether a model has a pool. The pool of a deleted model counts until it is removed. */
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
    const pool = new Pool(name, this.#dependencies);
    const managed: ManagedPool = { pool, guests: [], isModelKnown: false, reconcile: undefined };
    this.#pools.set(name, managed);
    return managed;
  }

  /** Replaces the pool of a model that has become a guest, or has stopped being one. */
  async #chooseKind(name: string, model: AsrModel): Promise<void> {
    const managed = this.#poolOf(name);
    const isGuest = model.spec.hostedBy !== undefined;
    if (managed.pool instanceof HostedPool === isGuest) return;
    // Waits for the running reconcile, because the replaced pool must not apply its state after the new one.
    await managed.reconcile?.catch(() => undefined);
    managed.pool = isGuest
      ? new HostedPool(model, this.#options, (guest) => this.#findHost(guest))
      : new Pool(name, this.#dependencies);
  }

  #findHost(guest: AsrModel): Host | { problem: StartFailure } {
    const found = findHost(guest, this.#options.source);
    if ('problem' in found) return found;
    const { name } = found.host.metadata;
    const { pool } = this.#poolOf(name);
    // The host was a guest until now. Its own pool is created soon.
    if (pool instanceof HostedPool) return { problem: { reason: 'Starting', message: `${name} has no workers yet` } };
    return { model: found.host, status: pool.status(), onChanged: () => pool.markChanged() };
  }

  #hostedPool(guest: string): HostedPool | undefined {
    const pool = this.#pools.get(guest)?.pool;
    return pool instanceof HostedPool ? pool : undefined;
  }

  /** Updates the previous and the current host of a model, because their workers now serve other guests. */
  #updateHosts(guest: string, hostedBy: string | undefined): void {
    for (const [name, { guests, isModelKnown }] of this.#pools) {
      const isHost = name === hostedBy || guests.some(({ metadata }) => metadata.name === guest);
      const host = this.#options.source.get('ASRModel', name);
      if (isHost && isModelKnown && host !== undefined) this.#setModel(name, host);
    }
  }

  /**
   * Returns the guests of a model. While the source is incomplete, guests that are missing from it are kept. Otherwise
   * a rollout without them would be followed by another rollout with them.
   */
  #findGuests(model: AsrModel, before: readonly AsrModel[]): AsrModel[] {
    const { source } = this.#options;
    const found = findGuests(model, source);
    if (source.unsettled() === undefined) return found;
    return [...found, ...before.filter(({ metadata }) => source.get('ASRModel', metadata.name) === undefined)];
  }

  /** Sets the model of a pool. Undefined if the model was deleted. */
  #setModel(name: string, model: AsrModel | undefined): ManagedPool {
    this.#removed.delete(name);
    const managed = this.#poolOf(name);
    // A deleted model keeps its guests, because its workers serve them until the workers end.
    if (model !== undefined) managed.guests = this.#findGuests(model, managed.guests);
    managed.pool.setModel(model, managed.guests, this.#options.namespaceOf?.(name));
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

  /** Reconciles a pool. If a reconcile of the pool is already running, returns its promise instead. */
  #reconcile(name: string, managed: ManagedPool): Promise<void> {
    managed.reconcile ??= this.#reconcileOnce(name, managed.pool).finally(() => {
      managed.reconcile = undefined;
    });
    return managed.reconcile;
  }

  async #reconcileOnce(name: string, pool: ModelPool): Promise<void> {
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
