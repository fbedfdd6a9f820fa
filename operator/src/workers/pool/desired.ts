import type { RolloutDecision } from '@svc-asr/core';
import type { DesiredWorkers } from '../runtime.ts';
import type { Plan } from './plan.ts';

/**
 * Returns how many workers each revision needs. The stable revision of a rollout is listed even if it needs 0 workers
 * now, because a rollback may need it again. If the ledger could not be read, the plan has no count for the stable
 * revision, and the revision keeps its previous count.
 */
export function countByRevision(
  rollout: RolloutDecision | undefined,
  plan: Plan,
  previous: DesiredWorkers['counts'],
): Map<string, number> {
  if (rollout === undefined) return new Map();
  const { revision, stable, state } = rollout;
  const counts = new Map([[revision, plan.ensure]]);
  const kept = stable ?? state.stable;
  if (kept === undefined || kept === revision) return counts;
  const stableCount = stable === undefined ? 0 : (plan.ensureStable ?? previous.get(stable) ?? 0);
  return counts.set(kept, stableCount);
}
