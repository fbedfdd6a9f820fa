import { countDemand, decideScaling, LOAD_STALE_MS } from './decide.ts';
import type { ScalingDecision, ScalingInput } from './decide.ts';
import { countWorkers } from './slots.ts';
import { initialScaling } from './state.ts';

/** Observed state of a tier: workers of a model on one kind of hardware. */
export interface ObservedTier {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Expected slots of one worker. Undefined if not known yet. */
  readonly slotsPerWorker: number | undefined;
  /** Workers that accept sessions. */
  readonly workers: readonly { readonly slots: number; readonly active: number }[];
  /** Number of workers that neither drain nor stop, whether or not they accept sessions. */
  readonly running: number;
  /** False if workers of the tier fail to start, or have waited too long for a node. */
  readonly canStart: boolean;
  /** True if the model no longer has the tier. Its workers stay until workers of other tiers replace them. */
  readonly isRemoved?: boolean;
  /**
   * True during a canary if the stable revision does not have the tier. The tier then gets workers only for the
   * canary's share.
   */
  readonly isNew?: boolean;
}

export interface TieredInput extends Omit<ScalingInput, 'fixedSlots' | 'workers' | 'unit'> {
  /** Tiers in order of preference, removed tiers last. */
  readonly tiers: readonly ObservedTier[];
}

export interface TieredDecision extends ScalingDecision {
  /** Desired number of workers by tier. */
  readonly tiers: ReadonlyMap<string, number>;
}

/**
 * Need that is divided between the tiers. `demand` is the number of sessions. `slots` is the number of slots for them.
 * It includes the buffer and is at least `demand`.
 */
export interface TierNeed {
  readonly demand: number;
  readonly slots: number;
}

export interface FilledTiers {
  readonly counts: ReadonlyMap<string, number>;
  /** Needed slots that no tier can provide. */
  readonly missing: number;
  /** True if a tier needs workers whose slots are unknown until its first worker has measured them. */
  readonly isMeasuring: boolean;
}

/**
 * Decides how many workers each tier of a model should have. `decideScaling` returns the number of needed slots instead
 * of workers, because workers of different tiers have different numbers of slots. `fillTiers` divides these slots
 * between the tiers. While the load is unknown, every tier keeps its workers.
 */
export function decideTiers(input: TieredInput): TieredDecision {
  const { tiers, load, nowMs, spec } = input;
  const workers = tiers.flatMap((tier) => tier.workers);
  const presentSlots = tiers.reduce((sum, tier) => sum + countPresent(tier), 0);
  const state = input.state.unit === 'slots' ? input.state : initialScaling(presentSlots, nowMs);
  const total = decideScaling({
    ...input,
    spec: { ...spec, min: 0, max: Number.MAX_SAFE_INTEGER },
    fixedSlots: 1,
    unit: 'slots',
    workers,
    state,
  });
  const isKnown = load !== undefined && nowMs - load.readAtMs <= LOAD_STALE_MS;
  const demand = isKnown ? Math.min(countDemand(load), total.desired) : total.desired;
  const need = { demand, slots: total.desired };
  const { counts, missing, isMeasuring } = fillTiers(tiers, need);
  // During a canary, tiers of the stable revision keep as many workers as they would need if there were no new tiers.
  const { counts: stableCounts } = fillTiers(
    tiers.filter(({ isNew }) => isNew !== true),
    need,
  );
  const kept = tiers.map(({ name, running }): [string, number] => {
    const count = Math.max(counts.get(name) ?? 0, stableCounts.get(name) ?? 0);
    return [name, isKnown ? count : Math.max(count, running)];
  });
  const reasons = [...total.reasons];
  if (isKnown && missing > 0) {
    const message = `${demand} sessions and their buffer need ${missing} slots more than the pools have at their max`;
    reasons.push({ reason: 'ScalingLimited', message });
  }
  if (isKnown && isMeasuring && demand > 0) {
    const message = 'the slots of a worker are unknown until the first one of its tier has started';
    reasons.push({ reason: 'Measuring', message });
  }
  return {
    desired: kept.reduce((sum, [, count]) => sum + count, 0),
    tiers: new Map(kept),
    reasons,
    // Before the load is known for the first time, no state that counts slots is stored. It would lack the slots of
    // workers that have not registered yet.
    state:
      isKnown || input.state.unit === 'slots'
        ? { ...total.state, slotsPerWorker: undefined, unit: 'slots' }
        : input.state,
  };
}

/**
 * Divides the needed slots between tiers. Preferred tiers are filled first.
 *
 * | tier                           | workers                               | slots that the next tier must provide |
 * |--------------------------------|---------------------------------------|---------------------------------------|
 * | can start workers              | as needed, up to max                  | needed slots beyond its max workers   |
 * | cannot start workers           | as needed, up to max; it keeps trying | needed slots beyond its ready workers |
 * | slots of a worker are unknown  | one, which measures them              | none                                  |
 * | has more workers than needed   | they stay while the ready workers of  |                                       |
 * |                                | preferred tiers are not enough        |                                       |
 *
 * Each tier has at least `min` workers. These workers do not reduce the need of preferred tiers.
 */
export function fillTiers(tiers: readonly ObservedTier[], need: TierNeed): FilledTiers {
  const counts = new Map<string, number>();
  let { slots, demand } = need;
  let readySlots = 0;
  let isMeasuring = false;
  for (const tier of tiers) {
    const { name, min, max, slotsPerWorker, running, canStart, isRemoved } = tier;
    const measured = tier.workers.map((worker) => worker.slots);
    const wanted = isRemoved === true ? 0 : countNeeded(slotsPerWorker, measured, { slots, demand });
    const grown = Math.min(max, wanted);
    const kept = Math.min(running, countKept(slotsPerWorker, running, need.slots - readySlots));
    counts.set(name, isRemoved === true ? kept : Math.min(max, Math.max(min, grown, kept)));

    const ready = measured.reduce((sum, each) => sum + each, 0);
    if (canStart && isRemoved !== true && slotsPerWorker === undefined && grown > 0) {
      isMeasuring = true;
      slots = 0;
      demand = 0;
    } else if (canStart && isRemoved !== true) {
      slots = Math.max(0, slots - grown * (slotsPerWorker ?? 0));
      demand = Math.max(0, demand - ready - Math.max(0, grown - measured.length) * (slotsPerWorker ?? 0));
    } else {
      slots = Math.max(0, slots - ready);
      demand = Math.max(0, demand - ready);
    }
    readySlots += ready;
  }
  return { counts, missing: slots, isMeasuring };
}

/**
 * Returns the number of slots with which a tier counts if there is no earlier scaling state. Running workers that are
 * not registered count with their expected slots, or with one slot each if the expected slots are unknown. Such workers
 * may have to register again, for example because the ledger lost its data. If the tier was not removed and cannot
 * start workers, only ready workers count.
 */
function countPresent({ workers, running, slotsPerWorker = 1, canStart, isRemoved }: ObservedTier): number {
  const ready = workers.reduce((sum, { slots }) => sum + slots, 0);
  return canStart || isRemoved === true ? Math.max(ready, running * slotsPerWorker) : ready;
}

/**
 * Returns how many workers a tier must have for the need that preferred tiers do not cover. Returns at most one while
 * the slots of a worker are unknown.
 */
function countNeeded(slotsPerWorker: number | undefined, measured: readonly number[], { slots, demand }: TierNeed) {
  if (slotsPerWorker === undefined) return Math.min(1, slots);
  // As in decide.ts, `slots`, which includes the buffer, is divided by the expected slots of a worker. The demand must
  // also fit into the slots that workers offer now.
  return Math.max(Math.ceil(slots / slotsPerWorker), countWorkers(demand, measured, slotsPerWorker));
}

/** Returns how many workers a tier keeps for the slots that ready workers of preferred tiers do not cover. */
function countKept(slotsPerWorker: number | undefined, running: number, uncovered: number): number {
  if (uncovered <= 0) return 0;
  return slotsPerWorker === undefined ? running : Math.ceil(uncovered / slotsPerWorker);
}
