import type { RolloutSpec } from './gate.ts';

/** Number of workers by which a pool may differ from its desired size during a rollout. */
export interface RolloutRoom {
  /** Number of additional workers that the pool may have. Draining workers count too. */
  readonly surge: number;
  /** Number of workers that may be missing. */
  readonly unavailable: number;
}

/**
 * Returns the room for the rollout of a pool with this many workers. If `workers` is positive, so is at least one of
 * `surge` and `unavailable`.
 */
export function findRolloutRoom(spec: Pick<RolloutSpec, 'maxSurge' | 'maxUnavailable'>, workers: number): RolloutRoom {
  const surge = resolve(spec.maxSurge, workers, Math.ceil);
  const unavailable = resolve(spec.maxUnavailable, workers, Math.floor);
  return { surge, unavailable: Math.min(workers, surge === 0 ? Math.max(1, unavailable) : unavailable) };
}

function resolve(value: number | string, workers: number, round: (share: number) => number): number {
  return typeof value === 'number' ? value : round((workers * Number.parseInt(value, 10)) / 100);
}
