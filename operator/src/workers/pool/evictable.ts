import type { WorkerRecord } from '@svc-asr/ledger';
import { readyWorkers } from './observe.ts';
import type { PoolView } from './observe.ts';

/**
 * Returns how many of the workers may be evicted at the same time. Kubernetes chooses which ones. Whichever it chooses,
 * the slots of the others must suffice for all streams and reserved sessions.
 */
export function countEvictable(ready: readonly WorkerRecord[], demand: number): number {
  const slots = ready.map((worker) => worker.slots).toSorted((a, b) => b - a);
  let left = slots.reduce((sum, count) => sum + count, 0);
  return slots.filter((count) => (left -= count) >= demand).length;
}

/** Counts with the load of the last successful read. Undefined before the first one. */
export function findEvictable(view: PoolView): number | undefined {
  const { load } = view;
  return load && countEvictable(readyWorkers(view), load.active + load.held);
}
