/** A worker as the choice of those that go sees it. */
export interface DrainCandidate {
  readonly id: string;
  /** Streams that it has; one that is still starting has none. */
  readonly active: number;
  /** Whether it takes sessions already. */
  readonly ready: boolean;
}

/**
 * Chooses `count` workers to take away: those that are not up yet, then idle ones, then those with the fewest streams
 * to move. Workers that drain already must not be among the candidates.
 */
export function chooseDrains(candidates: readonly DrainCandidate[], count: number): string[] {
  const order = candidates.toSorted(
    (a, b) => a.active - b.active || Number(a.ready) - Number(b.ready) || (a.id < b.id ? -1 : 1),
  );
  return order.slice(0, Math.max(0, count)).map(({ id }) => id);
}
