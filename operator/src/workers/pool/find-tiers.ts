import type { AsrModel, RolloutDecision, Tier } from '@svc-asr/core';
import type { WorkerRuntime } from '../runtime.ts';
import type { WorkerTemplate } from '../template.ts';
import { findServing } from './decide.ts';
import type { MeasuredSlots } from './measured-slots.ts';
import { readyWorkers } from './observe.ts';
import type { PoolView } from './observe.ts';
import { hasTiers, observeTiers } from './tiers.ts';
import type { PoolTier, RolloutTiers } from './tiers.ts';

export interface TieredPool {
  name: string;
  model: AsrModel | undefined;
  template: WorkerTemplate | undefined;
  rollout: RolloutDecision | undefined;
  /** Tiers that the model has now or had before. */
  knownTiers: readonly Tier[];
  view: PoolView;
  measuredSlots: Pick<MeasuredSlots, 'recall'>;
  runtime: Pick<WorkerRuntime, 'list' | 'tiers' | 'startFailure'>;
}

/**
 * Returns the tiers of a pool as they are now. Undefined if the model was deleted. Also undefined if the model, its
 * workers and the revision of new workers have no tiers.
 */
export function findTiers(pool: TieredPool): PoolTier[] | undefined {
  const { name, model, template, rollout, knownTiers, view, measuredSlots, runtime } = pool;
  const running = runtime.list(name);
  const serving = findServing(rollout, template);
  // New workers are started from this revision.
  const target = rollout?.revision ?? serving ?? '';
  const revisionTiers = findRevisionTiers(pool, target);
  if (model === undefined || (revisionTiers.length === 0 && !hasTiers(model, running))) return undefined;
  const isCanary = rollout?.stable !== undefined && rollout.percent < 100;
  return observeTiers({
    model,
    knownTiers,
    revisionTiers,
    stableTiers: isCanary ? findStableTiers(pool) : undefined,
    view,
    running,
    measuredSlots: (tier) => measuredSlots.recall(serving, tier) ?? measuredSlots.recall(target, tier),
    startFailure: (tier) =>
      runtime.startFailure({ model: name, revision: target, ...(tier !== undefined && { tier }) }),
  });
}

/**
 * Returns the tiers that matter for a rollout: the tiers of the stable revision, and the tiers in which new workers
 * cannot start.
 */
export function findRolloutTiers(pool: TieredPool, tiers: readonly PoolTier[] = []): RolloutTiers {
  const failing = tiers.filter(({ canStart }) => !canStart).map(({ name }) => name);
  return { stable: findStableTiers(pool), failing };
}

/**
 * Returns the tiers of the stable revision of a rollout. If the revision has no tiers, the result is one empty name. In
 * some tiers, the stable revision has no ready worker and its workers fail to start. In such a tier, there is no stable
 * worker to replace. The result omits these tiers if the share of the new revision is 100 %.
 */
function findStableTiers(pool: Pick<TieredPool, 'name' | 'template' | 'rollout' | 'view' | 'runtime'>): string[] {
  const { name: model, rollout: { stable: revision, percent } = {}, view, runtime } = pool;
  const tiers = findRevisionTiers(pool, revision);
  if (revision === undefined || tiers.length === 0) return [''];
  if (percent !== 100) return tiers;
  const ready = readyWorkers(view).filter((record) => record.revision === revision);
  return tiers.filter((tier) => {
    return ready.some((record) => record.tier === tier) || !runtime.startFailure({ model, revision, tier });
  });
}

/** Returns the names of the tiers of a revision. Empty if the revision has no tiers. */
function findRevisionTiers(
  { name, template, runtime }: Pick<TieredPool, 'name' | 'template' | 'runtime'>,
  revision: string | undefined,
): string[] {
  if (revision === undefined) return [];
  if (revision === template?.revision) return (template.tiers ?? []).map((tier) => tier.name);
  return runtime.tiers?.({ model: name, revision }) ?? [];
}
