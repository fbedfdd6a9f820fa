import type { Clock } from '../../queue/clock.ts';

/** The time for which this process leads for certain. */
export interface Term {
  isOpen: () => boolean;
  /** Aborts when the term that is open now ends; aborted where none is. */
  signal: () => AbortSignal;
  /** It holds for a while from this moment on. */
  renew: (sinceMs: number) => void;
  /** It is over, for ever. */
  end: () => void;
  isOver: () => boolean;
}

/** Makes a term that has not begun; `onLapse` hears that it was not renewed in time. */
export function createTerm(clock: Clock, holdsMs: number, onLapse: () => void): Term {
  const closed = AbortSignal.abort(new Error('this operator does not lead'));
  let untilMs = -Infinity;
  let current: AbortController | undefined;
  let over = false;
  let cancel: () => void = () => undefined;

  function close(): void {
    cancel();
    untilMs = -Infinity;
    current?.abort(new Error('this operator does not lead any more'));
    current = undefined;
  }

  return {
    isOpen: () => clock.nowMs() < untilMs,
    signal: () => current?.signal ?? closed,
    renew: (sinceMs) => {
      if (over) return;
      cancel();
      untilMs = sinceMs + holdsMs;
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
