/** A stream with a window ready to run. */
export interface Candidate {
  readonly context: string;
  /** Time at which the window of the stream became ready. */
  readonly readyMs: number;
  /** Milliseconds ahead of real time. */
  readonly aheadMs: number;
  /** True if the stream may use only spare capacity. */
  readonly ahead: boolean;
}

/**
 * Selects the streams of the next run: all of one context, at most `max`. Streams at real-time pace come first, ordered
 * by how long they have been ready. Streams that are ahead of real time fill the remaining places, the least ahead
 * first.
 */
export function chooseBatch<T extends Candidate>(ready: readonly T[], max: number): T[] {
  const order = ready.toSorted(
    (a, b) => Number(a.ahead) - Number(b.ahead) || (a.ahead ? a.aheadMs - b.aheadMs : 0) || a.readyMs - b.readyMs,
  );
  const context = order[0]?.context;
  return order.filter((candidate) => candidate.context === context).slice(0, max);
}
