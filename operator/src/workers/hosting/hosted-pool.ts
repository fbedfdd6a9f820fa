import { isDeepStrictEqual } from 'node:util';
import { initialScaling, sortTiers } from '@svc-asr/core';
import type { AsrModel, ScalingDecision } from '@svc-asr/core';
import { decideGrowth, decideSize } from '../pool/decide.ts';
import { drainWorkers } from '../pool/drain.ts';
import { findEvictable } from '../pool/evictable.ts';
import { MeasuredSlots } from '../pool/measured-slots.ts';
import { createPoolView, forgetWorker, observePool, readyWorkers } from '../pool/observe.ts';
import type { PoolView } from '../pool/observe.ts';
import { planPool } from '../pool/plan.ts';
import type { Plan } from '../pool/plan.ts';
import type { ModelPool } from '../pool/model-pool.ts';
import type { PoolDependencies } from '../pool/dependencies.ts';
import { PoolPublisher } from '../pool/publish.ts';
import { buildPoolStatus } from '../pool/status.ts';
import type { PoolStatus } from '../pool/status.ts';
import type { RunningWorker, StartFailure } from '../runtime.ts';
import type { WorkerTemplate } from '../template.ts';

/** The parts of a host that the pools of its guests use. */
export interface Host {
  model: AsrModel;
  status: PoolStatus;
  /**
   * Call when the number of workers that a guest needs has changed, or the number of evictions that its streams allow.
   */
  onChanged: () => void;
}

const NOTHING_PLANNED: Plan = { ensure: 0, drain: [], stop: [] };

/**
 * The pool of a guest: a model that the workers of its host serve. It starts no workers. It decides how many of the
 * host's workers are needed for the load of the guest. It ends the workers that the model had before it became a guest.
 */
export class HostedPool implements ModelPool {
  readonly #name: string;
  readonly #dependencies: PoolDependencies;
  readonly #findHost: (guest: AsrModel) => Host | { problem: StartFailure };
  readonly #publisher: PoolPublisher;
  readonly #measuredSlots: MeasuredSlots;
  readonly #view = createPoolView();
  #model: AsrModel;
  #template: WorkerTemplate;
  #deletedAtMs: number | undefined;
  #scaling: ScalingDecision;

  constructor(
    model: AsrModel,
    dependencies: PoolDependencies,
    host: (guest: AsrModel) => Host | { problem: StartFailure },
  ) {
    const { name } = model.metadata;
    this.#name = name;
    this.#dependencies = dependencies;
    this.#findHost = host;
    this.#publisher = new PoolPublisher(name, dependencies);
    this.#measuredSlots = new MeasuredSlots(name, dependencies.slotsMemory);
    this.#model = model;
    this.#template = dependencies.runtime.buildTemplate(model);
    this.#scaling = { desired: 0, reasons: [], state: initialScaling(0, dependencies.nowMs()) };
    // If a rollout ran before the model became a guest, it has ended and no longer counts against the rollout budget.
    dependencies.rolloutBudget.update(name, false);
  }

  setModel(model: AsrModel | undefined): void {
    const { runtime, nowMs } = this.#dependencies;
    this.#deletedAtMs = model === undefined ? (this.#deletedAtMs ?? nowMs()) : undefined;
    if (model === undefined) return;
    this.#model = model;
    const template = runtime.buildTemplate(model);
    if (!isDeepStrictEqual(template, this.#template)) this.#template = template;
    this.#measuredSlots.restore(model);
  }

  /** Number of workers that are needed for the load of the guest. */
  get demand(): number {
    return this.#deletedAtMs === undefined ? this.#scaling.desired : 0;
  }

  /** Last observed state of the guest. */
  get view(): PoolView {
    return this.#view;
  }

  async reconcile(): Promise<boolean> {
    const evictable = findEvictable(this.#view);
    const isLedgerRead = await observePool(this.#name, this.#view, false, this.#dependencies);
    const host = this.#findHost(this.#model);
    this.#decideSize(host);
    // The host counts the streams of its guests when it limits evictions.
    if (!('problem' in host) && findEvictable(this.#view) !== evictable) host.onChanged();
    const plan = isLedgerRead ? this.#planOwnWorkers() : NOTHING_PLANNED;
    const isFinished = isLedgerRead && this.#isFinished();
    this.#dependencies.runtime.apply(this.#name, {
      template: this.#deletedAtMs === undefined ? this.#template : undefined,
      counts: new Map(),
      stop: plan.stop,
      scale: undefined,
      rollout: undefined,
      hosted: !isFinished,
    });
    if (!isLedgerRead) return true;
    await drainWorkers(this.#name, plan.drain, this.#view, this.#dependencies);
    if (isFinished) {
      await this.#dependencies.pools.remove(this.#name);
      return false;
    }
    this.#dependencies.report.startFailure(this.#name, findStartFailure(host)?.message);
    // The pool of the host writes the weights of revisions for its guests too.
    await this.#publisher.publishChanges(this.#decideGrowth(host), new Map());
    return true;
  }

  async publish(): Promise<void> {
    await this.#publisher.publishGrowth(this.#decideGrowth(this.#findHost(this.#model)));
  }

  workerEnded(id: string): void {
    forgetWorker(this.#view, id);
  }

  /** Does nothing, because each reconcile is a full one. */
  markChanged(): void {
    // Nothing is cached.
  }

  status(): PoolStatus {
    const host = this.#findHost(this.#model);
    const found = 'problem' in host ? undefined : host;
    const built = buildPoolStatus(this.#name, {
      running: found === undefined ? [] : this.#dependencies.runtime.list(found.status.model),
      view: this.#view,
      scaling: { ...this.#scaling, desired: found?.status.desired ?? 0 },
      rollout: undefined,
      measuredSlots: this.#measuredSlots.all,
      startFailure: findStartFailure(host),
      // Failing nodes are reported in the status of the host.
      failingNodes: [],
    });
    const { revision, rollout } = found?.status ?? { revision: undefined, rollout: undefined };
    return { ...built, revision, rollout, host: found?.status.model };
  }

  #decideSize(host: Host | { problem: StartFailure }): void {
    const { report, nowMs } = this.#dependencies;
    if ('problem' in host) {
      this.#scaling = { ...this.#scaling, desired: 0, reasons: [] };
      return;
    }
    this.#measuredSlots.record(readyWorkers(this.#view));
    const { state, desired } = this.#scaling;
    const slotsPerWorker = state.slotsPerWorker ?? this.#measuredSlots.recall(host.status.revision);
    const decision = decideSize({
      model: this.#withScalingOf(host),
      view: this.#view,
      running: this.#findStarting(host),
      startFailure: findStartFailure(host),
      state: { ...state, slotsPerWorker },
      nowMs: nowMs(),
    });
    report.decided(this.#name, state, decision, this.#view.load);
    this.#scaling = decision;
    if (decision.desired !== desired) host.onChanged();
  }

  #decideGrowth(host: Host | { problem: StartFailure }) {
    const tiers = 'problem' in host ? undefined : host.model.spec.pools;
    const growth = decideGrowth({
      model: this.#deletedAtMs === undefined && !('problem' in host) ? this.#withScalingOf(host) : undefined,
      view: this.#view,
      running: 'problem' in host ? [] : this.#findStarting(host),
      startFailure: findStartFailure(host),
      slotsPerWorker: this.#scaling.state.slotsPerWorker,
    });
    return tiers === undefined ? growth : { ...growth, tiers: sortTiers(tiers).map(({ name }) => name) };
  }

  /**
   * Returns the guest's model with the scaling settings of its host, because the guest uses the workers of the host.
   */
  #withScalingOf({ model }: Host): AsrModel {
    const { scaling, pools } = model.spec;
    const sum = (field: 'min' | 'max') => (pools ?? []).reduce((total, tier) => total + tier[field], 0);
    const limits = pools === undefined ? scaling : { ...scaling, min: sum('min'), max: sum('max') };
    return { ...this.#model, spec: { ...this.#model.spec, scaling: limits } };
  }

  /** Returns the workers of the host that are not registered for the guest. */
  #findStarting({ status }: Host): RunningWorker[] {
    const registered = new Set(this.#view.registered.map(({ id }) => id));
    return this.#dependencies.runtime.list(status.model).filter(({ id }) => !registered.has(id));
  }

  /**
   * Plans the end of the workers that the model had before it became a guest. They end as soon as a worker of the host
   * is ready, or if the model was deleted.
   */
  #planOwnWorkers(): Plan {
    const { runtime, limits, nowMs } = this.#dependencies;
    const own = runtime.list(this.#name);
    const { registered, lostSinceMs, drainedAtMs, sickSinceMs } = this.#view;
    const isHosted = readyWorkers(this.#view).some(({ id }) => own.every((worker) => worker.id !== id));
    if (own.length === 0 || (!isHosted && this.#deletedAtMs === undefined)) return NOTHING_PLANNED;
    const drainMs = this.#model.spec.drainSeconds * 1000;
    return planPool({
      desired: 0,
      revision: '',
      rollout: undefined,
      running: own,
      registered,
      lostSinceMs,
      drainedAtMs,
      sickSinceMs,
      limits: { ...limits, drainMs, provisionMs: 0 },
      nowMs: nowMs(),
    });
  }

  /**
   * Reports whether the model was deleted and nothing is left of it. All its own workers must have ended. In addition,
   * its streams must have ended, or the drain timeout must be over.
   */
  #isFinished(): boolean {
    const { runtime, nowMs } = this.#dependencies;
    if (this.#deletedAtMs === undefined || runtime.list(this.#name).length > 0) return false;
    if (runtime.mayMissWorkers?.(this.#template) === true) return false;
    const isOver = nowMs() - this.#deletedAtMs >= this.#model.spec.drainSeconds * 1000;
    return isOver || this.#view.registered.every(({ active }) => active === 0);
  }
}

/** Returns why no workers can be started for a guest. Undefined if workers can be started. */
function findStartFailure(host: Host | { problem: StartFailure }): StartFailure | undefined {
  return 'problem' in host ? host.problem : host.status.startFailure;
}
