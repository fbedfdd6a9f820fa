import type { WorkerRecord } from '@svc-asr/ledger';
import { readyWorkers } from './observe.ts';
import type { PoolView } from './observe.ts';

/**
 * Returns how many of the workers may be evicted at the same time. Kubernetes chooses the workers. For every possible
 * choice, the slots of the remaining workers must suffice for all streams and reserved sessions.
 */
export function countEvictable(ready: readonly Pick<WorkerRecord, 'slots'>[], demand: number): number {
  const slots = ready.map((worker) => worker.slots).toSorted((a, b) => b - a);
  let left = slots.reduce((sum, count) => sum + count, 0);
  return slots.filter((count) => (left -= count) >= demand).length;
}

/**
 * Returns how many workers may be evicted at the loads that were last read. Undefined until the load of the model and
 * of each guest has been read once. The streams of each guest must also fit into the slots that the remaining workers
 * have for this guest.
 */
export function findEvictable(view: PoolView, guests: readonly PoolView[] = []): number | undefined {
  const ids = readyWorkers(view).map(({ id }) => id);
  let fewest = ids.length;
  for (const one of [view, ...guests]) {
    if (one.load === undefined) return undefined;
    const slots = new Map(readyWorkers(one).map((worker) => [worker.id, worker.slots]));
    // Workers that do not serve a guest yet have no slots for it.
    const workers = ids.map((id) => ({ slots: slots.get(id) ?? 0 }));
    fewest = Math.min(fewest, countEvictable(workers, one.load.active + one.load.held));
  }
  return fewest;
}
