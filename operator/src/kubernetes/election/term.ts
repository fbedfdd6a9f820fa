import type { Clock } from '../../queue/clock.ts';

/** Time during which this process is certainly the leader. */
export interface Term {
  isOpen: () => boolean;
  /**
   * Returns a signal that aborts when the current term ends. The signal is already aborted if there is no current term.
   */
  signal: () => AbortSignal;
  /** Starts or extends the term. Its duration counts from `sinceMs`. */
  renew: (sinceMs: number) => void;
  /** Ends the term permanently. */
  end: () => void;
  isOver: () => boolean;
}

/** Creates a term that has not started. `onLapse` is called when the term was not renewed in time. */
export function createTerm(clock: Clock, durationMs: number, onLapse: () => void): Term {
  const closed = AbortSignal.abort(new Error('this operator is not the leader'));
  let untilMs = -Infinity;
  let current: AbortController | undefined;
  let over = false;
  let cancel: () => void = () => undefined;

  function close(): void {
    cancel();
    untilMs = -Infinity;
    current?.abort(new Error('this operator is no longer the leader'));
    current = undefined;
  }

  return {
    isOpen: () => clock.nowMs() < untilMs,
    signal: () => current?.signal ?? closed,
    renew: (sinceMs) => {
      if (over) return;
      cancel();
      untilMs = sinceMs + durationMs;
      current ??= new AbortController();
      cancel = clock.after(Math.max(0, untilMs - clock.nowMs()), () => {
        close();
        onLapse();
      });
    },
    end: () => {
      over = true;
      close();
    },
    isOver: () => over,
  };
}
