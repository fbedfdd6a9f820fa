import { decideTiers, findRolloutRoom, sortTiers } from '@svc-asr/core';
import type { AsrModel, ObservedTier, RolloutDecision, ScalingDecision, ScalingState, Tier } from '@svc-asr/core';
import type { PoolGrowth, WorkerRecord } from '@svc-asr/ledger';
import type { DesiredWorkers, RunningWorker, StartFailure } from '../runtime.ts';
import { countByRevision } from './desired.ts';
import { readyWorkers } from './observe.ts';
import type { PoolView } from './observe.ts';
import { isOnlyRevision, planPool } from './plan.ts';
import type { Plan, PlanInput } from './plan.ts';

/** A tier with its limits and its start failure. Workers that belong to no tier are in a tier with an empty name. */
export interface PoolTier extends ObservedTier {
  startFailure: StartFailure | undefined;
  /** Whether workers measure their slots. If they do, they may offer fewer slots than `slotsPerWorker`. */
  measuresSlots: boolean;
}

/** Tiers of a pool during a rollout. */
export interface RolloutTiers {
  /** Tiers of the stable revision. One empty name if the revision has no tiers. */
  stable: readonly string[];
  /** Tiers in which workers of the new revision cannot start. */
  failing: readonly string[];
}

export interface TierSources {
  model: AsrModel;
  /** Tiers that the model has now or had before. */
  knownTiers: readonly Tier[];
  /** Tiers of the revision that new workers are started from. Empty if the revision has no tiers. */
  revisionTiers: readonly string[];
  /**
   * Tiers of the stable revision during a canary. One empty name if the revision has no tiers. Undefined if there is no
   * canary.
   */
  stableTiers?: readonly string[] | undefined;
  view: PoolView;
  running: readonly RunningWorker[];
  /** Returns the slots that workers of a tier measured. */
  measuredSlots: (tier: string | undefined) => number | undefined;
  startFailure: (tier: string | undefined) => StartFailure | undefined;
}

/**
 * Reports whether the workers of a pool belong to tiers. This is so if the model has tiers now, or if workers are of an
 * older revision that had tiers.
 */
export function hasTiers(model: AsrModel | undefined, running: readonly RunningWorker[]): boolean {
  return model?.spec.pools !== undefined || running.some(({ tier }) => tier !== undefined);
}

/**
 * Returns the tiers of a pool in the order of preference. Tiers that are no longer used but still have workers come
 * last.
 */
export function observeTiers(sources: TierSources): PoolTier[] {
  const { view, running } = sources;
  const current = listLimits(sources);
  const names = new Set(current.map(({ name }) => name));
  const removed = [...new Set(running.map(({ tier = '' }) => tier))].filter((name) => !names.has(name)).sort();
  const tierOf = createTierFinder(running, [...names, ...removed]);
  const ready = readyWorkers(view);
  const isStaying = ({ id, stopping }: RunningWorker) => !stopping && !view.drainedAtMs.has(id);
  const observe = (name: string) => {
    const workers = ready.filter((record) => tierOf(record) === name);
    const own = running.filter(({ tier = '' }) => tier === name);
    return { name, workers, running: own.filter(isStaying).length, startFailure: sources.startFailure(tierName(name)) };
  };
  return [
    ...current.map(({ name, min, max, slots }) => {
      const tier = observe(name);
      const slotsPerWorker = slots > 0 ? slots : sources.measuredSlots(tierName(name));
      const isNew = sources.stableTiers?.includes(name) === false;
      const canStart = tier.startFailure === undefined;
      return { ...tier, min, max, slotsPerWorker, measuresSlots: slots === 0, canStart, isNew };
    }),
    ...removed.map((name) => {
      const tier = observe(name);
      const slotsPerWorker = tier.workers[0]?.slots;
      return { ...tier, min: 0, max: 0, slotsPerWorker, measuresSlots: false, canStart: false, isRemoved: true };
    }),
  ];
}

function tierName(name: string): string | undefined {
  return name === '' ? undefined : name;
}

/**
 * Returns the limits of the tiers of a revision. An older revision serves until a rollout starts or after a rollback.
 * It may have tiers that the model no longer has. Their limits are unknown after a restart of the operator. Such a tier
 * may then be as large as all tiers of the model together.
 */
function listLimits({ model, knownTiers, revisionTiers }: TierSources) {
  const { scaling, worker, pools } = model.spec;
  const tiers = sortTiers(pools ?? []);
  const total = {
    min: tiers.length === 0 ? scaling.min : tiers.reduce((sum, { min }) => sum + min, 0),
    max: tiers.length === 0 ? scaling.max : tiers.reduce((sum, { max }) => sum + max, 0),
    slots: worker.slots,
  };
  const names = revisionTiers.length === 0 ? [''] : revisionTiers;
  const known = sortTiers([
    ...tiers,
    ...knownTiers.filter(({ name }) => tiers.every((tier) => tier.name !== name)),
  ]).filter(({ name }) => names.includes(name));
  const others = names.filter((name) => known.every((tier) => tier.name !== name));
  return [...known, ...others.map((name) => ({ name, ...total }))];
}

/**
 * Returns a function that finds the tier of a registered worker. A worker that the operator does not manage counts in
 * the tier that it reports. If there is no such tier, the worker counts in the first tier.
 */
function createTierFinder(
  running: readonly RunningWorker[],
  names: readonly string[],
): (record: WorkerRecord) => string {
  const known = new Map(running.map(({ id, tier = '' }) => [id, tier]));
  const [first = ''] = names;
  return ({ id, tier = '' }) => known.get(id) ?? (names.includes(tier) ? tier : first);
}

/**
 * Decides how many workers each tier needs. If the guests of the model need more workers than the model itself, their
 * demand is used, up to the limits of the tiers.
 */
export function decideTierSizes(input: {
  model: AsrModel;
  view: PoolView;
  running: readonly RunningWorker[];
  tiers: readonly PoolTier[];
  state: ScalingState;
  guestDemand: number;
  nowMs: number;
}): ScalingDecision & { tiers: ReadonlyMap<string, number> } {
  const { model, view, running, tiers, state, guestDemand, nowMs } = input;
  const starting = running.filter(({ id, stopping }) => !stopping && !view.everRegistered.has(id));
  const failing = new Set(tiers.filter(({ canStart }) => !canStart).map(({ name }) => name));
  const arriving = starting.filter(({ tier = '' }) => !failing.has(tier)).length;
  const { scaling: spec } = model.spec;
  const decision = decideTiers({ spec, load: view.load, tiers, starting: starting.length, arriving, state, nowMs });
  const sizes = new Map(decision.tiers);
  let missing = guestDemand - decision.desired;
  for (const { name, max, canStart } of tiers) {
    const size = sizes.get(name) ?? 0;
    const added = canStart ? Math.max(0, Math.min(missing, max - size)) : 0;
    sizes.set(name, size + added);
    missing -= added;
  }
  return { ...decision, desired: [...sizes.values()].reduce((sum, size) => sum + size, 0), tiers: sizes };
}

/** Plans each tier like a pool of its own. Workers without a tier have one plan, with an empty name. */
export function planTiers(
  input: Omit<PlanInput, 'desired'>,
  scaling: Pick<ScalingDecision, 'desired' | 'tiers'>,
  tiers: RolloutTiers,
): Map<string, Plan> {
  const { running, registered, stable } = input;
  const sizes = scaling.tiers ?? new Map([['', scaling.desired]]);
  const names = [...new Set([...sizes.keys(), ...running.map(({ tier = '' }) => tier)])];
  const tierOf = createTierFinder(running, names);
  const waiting = findWaitingTiers(input, sizes, tiers);
  return new Map(
    names.map((name, rank) => {
      const size = sizes.get(name) ?? 0;
      const isStable = tiers.stable.includes(name);
      const percent = waiting.includes(name) ? 0 : (stable?.percent ?? 100);
      const plan = planPool({
        ...input,
        // In a tier that the stable revision does not have, there are no stable workers to keep. During a canary, such
        // a tier needs only the canary's share of its workers.
        desired: isStable || stable === undefined ? size : Math.ceil((size * percent) / 100),
        stable: isStable && stable !== undefined ? { ...stable, percent } : undefined,
        // Workers of an overflow tier stay until their streams end. New sessions go to the preferred tier.
        idleOnly: rank > 0 && isOnlyRevision(input),
        running: running.filter(({ tier = '' }) => tier === name),
        registered: registered?.filter((record) => tierOf(record) === name),
      });
      return [name, plan];
    }),
  );
}

/**
 * Returns the tiers whose only worker stays on the stable revision for now. Without surge, the only worker of a tier
 * has to leave before its replacement starts. Tiers with one worker are therefore replaced one after the other. During
 * a canary, the last of these tiers keeps its stable worker if no other tier has a stable worker.
 */
function findWaitingTiers(
  { revision, stable, rollout, running, registered = [] }: Omit<PlanInput, 'desired'>,
  sizes: ReadonlyMap<string, number>,
  { stable: stableTiers, failing }: RolloutTiers,
): string[] {
  if (stable === undefined || rollout === undefined || findRolloutRoom(rollout, 1).surge > 0) return [];
  const ready = new Set(registered.filter(({ draining }) => !draining).map(({ id }) => id));
  const serving = running.filter(({ id, stopping }) => !stopping && ready.has(id));
  const waiting: string[] = [];
  let isNext = true;
  for (const name of stableTiers.filter((tier) => sizes.get(tier) === 1 && !failing.includes(tier))) {
    if (serving.some(({ tier = '', ...worker }) => tier === name && worker.revision === revision)) continue;
    const others = serving.filter(({ tier = '' }) => tier !== name);
    const isLastStable = others.length > 0 && others.every((worker) => worker.revision !== stable.revision);
    if (!isNext || (isLastStable && stable.percent < 100)) waiting.push(name);
    isNext = false;
  }
  return waiting;
}

/** Combines the plans of all tiers into one plan. */
export function joinPlans(plans: ReadonlyMap<string, Plan>): Plan {
  const all = [...plans.values()];
  const ensureStable = all.flatMap((plan) => plan.ensureStable ?? []);
  return {
    ensure: all.reduce((sum, { ensure }) => sum + ensure, 0),
    ...(ensureStable.length > 0 && { ensureStable: ensureStable.reduce((sum, count) => sum + count, 0) }),
    drain: all.flatMap(({ drain }) => drain),
    stop: all.flatMap(({ stop }) => stop),
    sick: all.flatMap(({ sick = [] }) => sick),
  };
}

/** Numbers of workers by tier, and then by revision. */
export type CountsByTier = ReadonlyMap<string, DesiredWorkers['counts']>;

/** Returns how many workers of each revision each tier needs. `previous` has the numbers of the last decision. */
export function countTiers(
  rollout: RolloutDecision | undefined,
  plans: ReadonlyMap<string, Plan>,
  previous: CountsByTier,
): CountsByTier {
  return new Map(
    [...plans].map(([tier, plan]) => [tier, countByRevision(rollout, plan, previous.get(tier) ?? new Map())]),
  );
}

/**
 * Returns the number of workers of each revision, summed over all tiers. If there are tiers, also returns the numbers
 * of each tier.
 */
export function joinCounts(counts: CountsByTier): Required<Pick<DesiredWorkers, 'counts' | 'tierCounts'>> {
  const totals = new Map<string, number>();
  const tierCounts = new Map<string, Map<string, number>>();
  for (const [tier, byRevision] of counts) {
    for (const [revision, count] of byRevision) {
      totals.set(revision, (totals.get(revision) ?? 0) + count);
      tierCounts.set(revision, (tierCounts.get(revision) ?? new Map<string, number>()).set(tier, count));
    }
  }
  const hasNoTiers = [...counts.keys()].every((tier) => tier === '');
  return { counts: totals, tierCounts: hasNoTiers ? undefined : tierCounts };
}

/** Decides how far the tiers of a pool can grow, as `decideGrowth` does for a pool without tiers. */
export function decideTierGrowth(
  tiers: readonly PoolTier[],
  view: PoolView,
  running: readonly RunningWorker[],
): PoolGrowth {
  const names = tiers.flatMap(({ name, isRemoved }) => (isRemoved === true || name === '' ? [] : [name]));
  const growing = tiers.filter(({ canStart, isRemoved, max, workers }) => {
    return canStart && isRemoved !== true && max > workers.length;
  });
  if (growing.length === 0) return { canGrow: false, tiers: names };
  const present = sumSlots(tiers.flatMap(({ workers }) => workers));
  // The sum is NaN if the slots of a worker are unknown.
  const further = growing.reduce((sum, { max, workers, slotsPerWorker = NaN, measuresSlots }) => {
    // As for a model without tiers, further workers are expected to offer no more slots than the present workers of
    // their tier offer on average.
    const offered = measuresSlots && workers.length > 0 ? sumSlots(workers) / workers.length : Infinity;
    return sum + Math.floor((max - workers.length) * Math.min(slotsPerWorker, offered));
  }, 0);
  const starting = running.filter(({ id, stopping }) => !stopping && !view.everRegistered.has(id));
  const isProvisioning = starting.every(({ pending }) => pending !== undefined);
  return {
    canGrow: true,
    tiers: names,
    ...(!Number.isNaN(further) && { capacity: present + further }),
    ...(starting.length > 0 && { growth: isProvisioning ? 'provisioning' : 'starting' }),
  };
}

function sumSlots(workers: readonly { slots: number }[]): number {
  return workers.reduce((sum, { slots }) => sum + slots, 0);
}
