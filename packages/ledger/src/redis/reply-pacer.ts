/** Hands something on: at once, or in a later turn of the event loop. */
export type ReplyPacer = (handOn: () => void) => void;

/**
 * Hands on at most `atOnce` answers in one turn of the event loop, in order. Redis answers many commands together, and what
 * their callers ask next is written when the turn ends. Were all handed on in one turn, Redis would have nothing to do
 * meanwhile, and this process nothing while Redis works on what comes of it: they would take turns instead of working at
 * the same time.
 */
export function createReplyPacer(atOnce: number): ReplyPacer {
  let waiting: (() => void)[] = [];
  let left = atOnce;
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // The client writes what was asked in this turn by an immediate of its own, which is to come first.
    setImmediate(() => setImmediate(nextTurn));
  }

  function nextTurn(): void {
    scheduled = false;
    left = atOnce;
    const next = waiting;
    waiting = next.splice(atOnce);
    for (const handOn of next) take(handOn);
  }

  function take(handOn: () => void): void {
    left--;
    schedule();
    handOn();
  }

  return (handOn) => {
    if (left > 0) take(handOn);
    else waiting.push(handOn);
  };
}
