import { isDeepStrictEqual } from 'node:util';
import { initialScaling, MAX_AUDIO_SECONDS, prolong } from '@svc-asr/core';
import type { AsrModel, ScalingDecision, Tier } from '@svc-asr/core';
import type { PoolGrowth, PoolLoad } from '@svc-asr/ledger';
import type { WorkerTemplate } from '../template.ts';
import { decideGrowth, decideSize, decideWeights, findReported, findServing } from './decide.ts';
import type { PoolDependencies } from './dependencies.ts';
import { MeasuredSlots } from './measured-slots.ts';
import type { ModelPool } from './model-pool.ts';
import { drainWorkers } from './drain.ts';
import { findEvictable } from './evictable.ts';
import { createPoolView, forgetWorker, observePool, readyWorkers, trackSick } from './observe.ts';
import type { Plan } from './plan.ts';
import { PoolPublisher } from './publish.ts';
import { PoolRollout } from './rollout.ts';
import { decideScaleUpdate } from './scale-update.ts';
import { buildPoolStatus } from './status.ts';
import type { PoolStatus } from './status.ts';
import { findRolloutTiers, findTiers } from './find-tiers.ts';
import { countTiers, joinCounts, joinPlans, planTiers } from './tiers.ts';
import type { CountsByTier, PoolTier } from './tiers.ts';
import { isSameLoad, isSteady } from './steady.ts';

/** Drain timeout for workers whose model was deleted before this operator started. Its `drainSeconds` is unknown. */
const DEFAULT_DRAIN_MS = (MAX_AUDIO_SECONDS + 30) * 1000;
/**
 * Longest time between two full reconciles of a steady pool. It is shorter than the time after which the load counts as
 * unknown.
 */
const FULL_RECONCILE_MS = 10_000;

/**
 * The workers of one model. Decides how many workers of which revision there should be, and applies that to the
 * runtime.
 */
export class Pool implements ModelPool {
  readonly #name: string;
  readonly #dependencies: PoolDependencies;
  readonly #publisher: PoolPublisher;
  readonly #measuredSlots: MeasuredSlots;
  readonly #view = createPoolView();
  #model: AsrModel | undefined;
  #template: WorkerTemplate | undefined;
  #drainMs = DEFAULT_DRAIN_MS;
  #deletedAtMs: number | undefined;
  /** Namespace of the model. It is kept after the model was deleted. */
  #place: Pick<WorkerTemplate, 'namespace'> = {};
  #scaling: ScalingDecision;
  readonly #rollout: PoolRollout;
  #counts: CountsByTier = new Map();
  /** Tiers as they were last observed. Undefined if the pool has none. */
  #tiers: PoolTier[] | undefined;
  /**
   * Tiers of the model by name, including tiers that it had before. Workers of an older revision may still belong to
   * those earlier tiers.
   */
  readonly #knownTiers = new Map<string, Tier>();
  /** Set while the pool is steady. Holds the load and the status at the time of the last full reconcile. */
  #steady: { sinceMs: number; load: PoolLoad; status: PoolStatus } | undefined;
  /** Number of changes so far. A change during a reconcile makes another full reconcile necessary. */
  #changes = 0;

  constructor(name: string, dependencies: PoolDependencies) {
    const { runtime, nowMs } = dependencies;
    this.#name = name;
    this.#dependencies = dependencies;
    this.#publisher = new PoolPublisher(name, dependencies);
    this.#measuredSlots = new MeasuredSlots(name, dependencies.slotsMemory);
    this.#rollout = new PoolRollout(name, dependencies);
    this.#scaling = { desired: 0, reasons: [], state: initialScaling(runtime.list(name).length, nowMs()) };
  }

  /** Sets the model, undefined if it was deleted, and its guests. `ofDeleted` is the namespace of a deleted model. */
  setModel(model: AsrModel | undefined, guests: readonly AsrModel[] = [], ofDeleted?: string): void {
    const { runtime, nowMs } = this.#dependencies;
    this.markChanged();
    this.#model = model;
    const before = this.#template?.revision;
    const template = model && runtime.buildTemplate(model, guests);
    // If the new template is equal, the old template object is kept. The cluster runtime caches the Kubernetes objects
    // of each template by the identity of the template object.
    if (!isDeepStrictEqual(template, this.#template)) this.#template = template;
    this.#deletedAtMs = model === undefined ? (this.#deletedAtMs ?? nowMs()) : undefined;
    for (const tier of model?.spec.pools ?? []) this.#knownTiers.set(tier.name, tier);
    this.#tiers = findTiers(this.#describeTiers());
    // If this operator started after the model was deleted, only the caller knows the namespace of the model.
    if (model === undefined && ofDeleted !== undefined) this.#place = { namespace: ofDeleted };
    if (model === undefined || this.#template === undefined) return;
    const { namespace } = this.#template;
    this.#place = namespace === undefined ? {} : { namespace };
    this.#drainMs = model.spec.drainSeconds * 1000;
    this.#measuredSlots.restore(model);
    // Workers of another revision may have a different number of slots.
    if (this.#template.revision !== before) this.#expectSlots(undefined);
  }

  /**
   * Reconciles the pool once. While the pool stays steady, most calls only read the load from the ledger once. Resolves
   * to false if the model was deleted and nothing is left of its pool.
   */
  async reconcile(): Promise<boolean> {
    const { runtime, nowMs } = this.#dependencies;
    if (await this.#isStillSteady()) {
      this.#scaling = { ...this.#scaling, state: prolong(this.#scaling.state, nowMs()) };
      return true;
    }
    this.#steady = undefined;
    const changesBefore = this.#changes;
    const { continues, plan } = await this.#reconcileFully();
    const snapshot = {
      model: this.#model,
      plan,
      view: this.#view,
      running: runtime.list(this.#name),
      scaling: this.#scaling,
      rollout: this.#rollout.decision,
    };
    const { ledgerLoad: load } = this.#view;
    if (load !== undefined && isSteady(snapshot) && this.#changes === changesBefore) {
      this.#steady = { sinceMs: nowMs(), load, status: this.#buildStatus() };
    }
    return continues;
  }

  /** Writes to the ledger how far the pool can grow, even if that did not change. */
  async publish(): Promise<void> {
    await this.#publisher.publishGrowth(this.#decideGrowth());
  }

  /** Call when a worker of the pool has ended. */
  workerEnded(id: string): void {
    this.markChanged();
    forgetWorker(this.#view, id);
  }

  /** Call when something about the pool may have changed. The next reconcile is a full one. */
  markChanged(): void {
    this.#changes += 1;
    this.#steady = undefined;
  }

  /** Returns the status. A steady pool returns the same object until its next full reconcile. */
  status(): PoolStatus {
    return this.#steady?.status ?? this.#buildStatus();
  }

  async #isStillSteady(): Promise<boolean> {
    const { pools, nowMs } = this.#dependencies;
    const steady = this.#steady;
    if (steady === undefined || nowMs() - steady.sinceMs >= FULL_RECONCILE_MS) return false;
    // If the read fails, a full reconcile follows and handles the error.
    const load = await pools.load(this.#name).catch(() => undefined);
    return this.#steady === steady && load !== undefined && isSameLoad(load, steady.load);
  }

  /**
   * Observes the pool, decides, applies the desired state and publishes the decisions. The plan is undefined if the
   * ledger could not be read, or if the pool was removed.
   */
  async #reconcileFully(): Promise<{ continues: boolean; plan: Plan | undefined }> {
    const isRolling = this.#template !== undefined && this.#template.revision !== this.#rollout.decision?.state.stable;
    const isLedgerRead = await observePool(this.#name, this.#view, isRolling, this.#dependencies);
    this.#measuredSlots.record(readyWorkers(this.#view));
    this.#tiers = findTiers(this.#describeTiers());
    this.#decideSize();
    this.#rollout.decide(this.#model, this.#template, this.#view, isLedgerRead);
    // Tiers are read again, because the rollout may have chosen a revision with other tiers.
    this.#tiers = findTiers(this.#describeTiers());
    const plans = this.#planWorkers(isLedgerRead);
    const plan = joinPlans(plans);
    this.#apply(plan, plans);
    if (!isLedgerRead) return { continues: true, plan: undefined };
    await drainWorkers(this.#name, plan.drain, this.#view, this.#dependencies);
    if (await this.#removeIfEmpty()) return { continues: false, plan: undefined };
    const failure = this.#startFailureOf(findReported(this.#rollout.decision, this.#template));
    this.#dependencies.report.startFailure(this.#name, failure?.message);
    await this.#publisher.publishChanges(this.#decideGrowth(), decideWeights(this.#rollout.decision));
    return { continues: true, plan };
  }

  #decideSize(): void {
    const { runtime, report, nowMs } = this.#dependencies;
    const serving = findServing(this.#rollout.decision, this.#template);
    this.#expectSlots(this.#scaling.state.slotsPerWorker ?? this.#measuredSlots.recall(serving));
    const { state } = this.#scaling;
    const decision = decideSize({
      model: this.#model,
      tiers: this.#tiers,
      view: this.#view,
      running: runtime.list(this.#name),
      startFailure: this.#startFailureOf(serving),
      state,
      guestDemand: this.#dependencies.guestDemand?.(this.#name) ?? 0,
      nowMs: nowMs(),
    });
    // The scaling state of a pool with tiers counts slots. The report needs the number of workers.
    const before = this.#tiers === undefined ? state : { ...state, desired: this.#scaling.desired };
    report.decided(this.#name, before, decision, this.#view.load);
    this.#scaling = decision;
  }

  #expectSlots(slotsPerWorker: number | undefined): void {
    this.#scaling = { ...this.#scaling, state: { ...this.#scaling.state, slotsPerWorker } };
  }

  /** Plans the workers of each tier. Workers without a tier have one plan, with an empty name. */
  #planWorkers(isLedgerRead: boolean): Map<string, Plan> {
    const { runtime, limits, nowMs } = this.#dependencies;
    const { revision = '', stable, percent = 100, phase } = this.#rollout.decision ?? {};
    const provisionMs = (this.#model?.spec.scaling.provisionSeconds ?? 0) * 1000;
    const input = {
      revision,
      stable: stable === undefined ? undefined : { revision: stable, percent },
      rollout: this.#model?.spec.rollout,
      hurried: phase === 'RolledBack',
      finishing: this.#deletedAtMs !== undefined && nowMs() - this.#deletedAtMs < this.#drainMs,
      running: runtime.list(this.#name),
      registered: isLedgerRead ? this.#view.registered : undefined,
      lostSinceMs: this.#view.lostSinceMs,
      drainedAtMs: this.#view.drainedAtMs,
      sickSinceMs: this.#view.sickSinceMs,
      limits: { ...limits, drainMs: this.#drainMs, provisionMs },
      nowMs: nowMs(),
    };
    return planTiers(input, this.#scaling, findRolloutTiers(this.#describeTiers(), this.#tiers));
  }

  #apply(plan: Plan, plans: ReadonlyMap<string, Plan>): void {
    trackSick(this.#view, plan.sick, this.#dependencies.nowMs());
    this.#counts = countTiers(this.#rollout.decision, plans, this.#counts);
    this.#dependencies.runtime.apply(this.#name, {
      ...joinCounts(this.#counts),
      template: this.#template,
      namespace: this.#place.namespace,
      stop: plan.stop,
      sick: plan.sick,
      scale: decideScaleUpdate(this.#model, this.#scaling.desired),
      rollout: this.#model && this.#rollout.stored,
      evictable: findEvictable(this.#view, this.#dependencies.guestViews?.(this.#name)),
    });
  }

  /**
   * Removes the pool from the ledger if its model was deleted and its last worker has ended. Resolves to true if it was
   * removed and the model was not created again meanwhile.
   */
  async #removeIfEmpty(): Promise<boolean> {
    const { pools, runtime } = this.#dependencies;
    const isDeleted = () => this.#model === undefined;
    if (!isDeleted() || runtime.list(this.#name).length > 0) return false;
    if (runtime.mayMissWorkers?.({ model: this.#name, ...this.#place }) === true) return false;
    await pools.remove(this.#name);
    // If the model was created again meanwhile, its pool must be published again.
    this.#publisher.reset();
    return isDeleted();
  }

  #decideGrowth(): PoolGrowth {
    return decideGrowth({
      model: this.#model,
      tiers: this.#tiers,
      view: this.#view,
      running: this.#dependencies.runtime.list(this.#name),
      startFailure: this.#startFailureOf(findServing(this.#rollout.decision, this.#template)),
      slotsPerWorker: this.#scaling.state.slotsPerWorker,
    });
  }

  #describeTiers() {
    return {
      name: this.#name,
      model: this.#model,
      template: this.#template,
      rollout: this.#rollout.decision,
      knownTiers: [...this.#knownTiers.values()],
      view: this.#view,
      measuredSlots: this.#measuredSlots,
      runtime: this.#dependencies.runtime,
    };
  }

  #startFailureOf(revision: string | undefined) {
    const { runtime } = this.#dependencies;
    return revision === undefined ? undefined : runtime.startFailure({ model: this.#name, revision });
  }

  #buildStatus(): PoolStatus {
    return buildPoolStatus(this.#name, {
      running: this.#dependencies.runtime.list(this.#name),
      view: this.#view,
      scaling: this.#scaling,
      rollout: this.#rollout.decision,
      measuredSlots: this.#measuredSlots.all,
      tiers: this.#tiers,
      startFailure: this.#startFailureOf(findReported(this.#rollout.decision, this.#template)),
      failingNodes: this.#dependencies.runtime.failingNodes(this.#name),
    });
  }
}
