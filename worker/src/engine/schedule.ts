/** A stream with a window ready, as the choice of a batch sees it. */
export interface Candidate {
  readonly context: string;
  /** When its window became ready. */
  readonly readyMs: number;
  /** Milliseconds ahead of real time. */
  readonly aheadMs: number;
  /** True for a stream that may only have spare capacity. */
  readonly ahead: boolean;
}

/**
 * The streams of the next run: all of one context, at most `max`. Streams at real-time pace come first, the longest waiting before
 * others; those that are ahead fill what is left of the batch, the least ahead first.
 */
export function chooseBatch<T extends Candidate>(ready: readonly T[], max: number): T[] {
  const order = ready.toSorted(
    (a, b) => Number(a.ahead) - Number(b.ahead) || (a.ahead ? a.aheadMs - b.aheadMs : 0) || a.readyMs - b.readyMs,
  );
  const context = order[0]?.context;
  return order.filter((candidate) => candidate.context === context).slice(0, max);
}
