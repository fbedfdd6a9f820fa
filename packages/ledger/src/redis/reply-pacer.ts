/** Calls `deliver` now, or in a later turn of the event loop. */
export type ReplyPacer = (deliver: () => void) => void;

/**
 * Creates a pacer that delivers at most `perTurn` replies per turn of the event loop, in order. Redis answers many
 * commands together, and the client writes the next commands at the end of a turn. If all replies were delivered in one
 * turn, Redis and this process would work alternately instead of in parallel.
 */
export function createReplyPacer(perTurn: number): ReplyPacer {
  let waiting: (() => void)[] = [];
  let left = perTurn;
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // The client writes the commands of this turn in its own callback of setImmediate. That callback must run before
    // `nextTurn`.
    setImmediate(() => setImmediate(nextTurn));
  }

  function nextTurn(): void {
    scheduled = false;
    left = perTurn;
    const next = waiting;
    waiting = next.splice(perTurn);
    for (const deliver of next) take(deliver);
  }

  function take(deliver: () => void): void {
    left--;
    schedule();
    deliver();
  }

  return (deliver) => {
    if (left > 0) take(deliver);
    else waiting.push(deliver);
  };
}
