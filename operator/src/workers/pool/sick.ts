import type { RunningWorker, WorkerStop } from '../runtime.ts';

/** A sick worker and how it fails. */
type SickWorker = Required<WorkerStop>;

/** What decides which sick workers stop. */
export interface SickWorkers {
  /** Sick workers that are replaced now. */
  replaced: readonly SickWorker[];
  /** Number of the other sick workers. */
  others: number;
  /** Number of workers that the pool should have. */
  own: number;
  /** Workers that accept sessions. */
  ready: readonly RunningWorker[];
}

/** The times of a plan that decide. */
interface Times {
  /** Time at which a worker was found to be sick, by worker. */
  sickSinceMs: ReadonlyMap<string, number>;
  /** `provisionMs` is the time that a new worker may wait for a node. */
  limits: { provisionMs: number };
  nowMs: number;
}

/**
 * Returns the sick workers that are replaced now: those of one node, first of the node with the worker that is sick for
 * longest. If their replacements fail too, they fail on another node, and the pool does not grow by further ones.
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
 * Chooses the replaced workers that stop now: one for each replacement that is ready. Workers on other nodes may be sick
 * too. If they are not earlier workers but the replacements, none of those is ready, and nothing stops before it is
 * overdue.
 */
export function chooseSickStops({ replaced, others, own, ready }: SickWorkers, times: Times): SickWorker[] {
  const sinceMs = Math.min(...replaced.map(({ id }) => times.sickSinceMs.get(id) ?? times.nowMs));
  const later = ready.filter(({ ageMs }) => times.nowMs - ageMs > sinceMs).length;
  const beyond = ready.length - (own - others - replaced.length);
  let count = others === 0 ? beyond : Math.min(beyond, later);
  return replaced.filter(({ id }) => isOverdue(id, times) || count-- > 0);
}

/**
 * Reports whether a sick worker has to stop although it was not replaced. It stays that long because its successor
 * avoids its node only until it has ended. A successor that finds no other node may need that one. It must not wait for
 * so long that it counts as a start failure.
 */
function isOverdue(id: string, { nowMs, sickSinceMs, limits }: Times): boolean {
  return nowMs - (sickSinceMs.get(id) ?? Infinity) >= limits.provisionMs / 2;
}
