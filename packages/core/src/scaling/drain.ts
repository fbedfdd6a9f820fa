/** A worker that may be removed. */
export interface DrainCandidate {
  readonly id: string;
  /** Number of streams of the worker. 0 while it is starting. */
  readonly active: number;
  /** Whether the worker accepts sessions. */
  readonly ready: boolean;
}

/**
 * Chooses `count` workers to remove: first workers that are not ready, then idle ones, then those with the fewest
 * streams to move. Candidates must not include workers that drain already.
 */
export function chooseDrains(candidates: readonly DrainCandidate[], count: number): string[] {
  const order = candidates.toSorted(
    (a, b) => a.active - b.active || Number(a.ready) - Number(b.ready) || (a.id < b.id ? -1 : 1),
  );
  return order.slice(0, Math.max(0, count)).map(({ id }) => id);
}
