import type { RunningWorker, WorkerStop } from '../runtime.ts';

/** A sick worker and how it fails. */
type SickWorker = Required<WorkerStop>;

/** Workers and counts by which `chooseSickStops` decides which sick workers stop. */
export interface SickWorkers {
  /** Sick workers that are being replaced now. */
  replaced: readonly SickWorker[];
  /** Number of sick workers that are not in `replaced`. */
  others: number;
  /** Number of workers that the pool should have. */
  own: number;
  /** Workers that accept sessions and are not sick. */
  ready: readonly RunningWorker[];
}

/** Times that the functions of this file need for their decisions. */
interface Times {
  /** For each sick worker: time at which the operator found that the worker is sick. */
  sickSinceMs: ReadonlyMap<string, number>;
  /** `provisionMs` is the time that a new worker may wait for a node. */
  limits: { provisionMs: number };
  nowMs: number;
}

/**
 * Returns the sick workers to replace now. They are all on one node: that of the worker that has been sick for the
 * longest time. If their replacements become sick on another node, these replacements are not in the result. The pool
 * therefore does not replace them yet.
 */
export function chooseReplaced(
  sick: readonly SickWorker[],
  running: readonly RunningWorker[],
  { sickSinceMs }: Pick<Times, 'sickSinceMs'>,
): readonly SickWorker[] {
  const since = ({ id }: SickWorker) => sickSinceMs.get(id) ?? Number.MAX_VALUE;
  const nodeOf = ({ id }: SickWorker) => running.find((worker) => worker.id === id)?.node;
  const [first] = sick.toSorted((a, b) => since(a) - since(b));
  if (first === undefined) return [];
  const node = nodeOf(first);
  return node === undefined ? [first] : sick.filter((one) => nodeOf(one) === node);
}

/**
 * Chooses the workers of `replaced` that stop now. One worker stops for each replacement that is ready. Workers that
 * were not replaced in time stop without a replacement. If there are other sick workers, they may be replacements that
 * have failed. In that case, only ready workers that started after the first failure count as replacements.
 */
export function chooseSickStops({ replaced, others, own, ready }: SickWorkers, times: Times): SickWorker[] {
  const sinceMs = Math.min(...replaced.map(({ id }) => times.sickSinceMs.get(id) ?? times.nowMs));
  const later = ready.filter(({ ageMs }) => times.nowMs - ageMs > sinceMs).length;
  const beyond = ready.length - (own - others - replaced.length);
  let count = others === 0 ? beyond : Math.min(beyond, later);
  const since = ({ id }: SickWorker) => times.sickSinceMs.get(id) ?? Number.MAX_VALUE;
  return replaced
    .toSorted((a, b) => since(a) - since(b))
    .filter(({ id }) => {
      const isReplaced = count-- > 0;
      return isReplaced || isOverdue(id, times);
    });
}

/**
 * Returns whether a sick worker has to stop before its replacement is ready. The replacement avoids the node of the
 * sick worker until the sick worker has ended. If no other node is free, the replacement waits for this node. The sick
 * worker must stop before this wait counts as a start failure.
 */
function isOverdue(id: string, { nowMs, sickSinceMs, limits }: Times): boolean {
  return nowMs - (sickSinceMs.get(id) ?? Infinity) >= limits.provisionMs / 2;
}
