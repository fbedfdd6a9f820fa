import type { PoolDependencies } from './dependencies.ts';
import type { PoolView } from './observe.ts';

/** Asks workers to drain, and records the time at which each worker was first asked. */
export async function drainWorkers(
  model: string,
  ids: readonly string[],
  { drainedAtMs }: PoolView,
  { workers, report, nowMs }: Pick<PoolDependencies, 'workers' | 'report' | 'nowMs'>,
): Promise<void> {
  for (const id of ids) {
    report.draining(model, id);
    await workers.drain(model, id);
    if (!drainedAtMs.has(id)) drainedAtMs.set(id, nowMs());
  }
}
