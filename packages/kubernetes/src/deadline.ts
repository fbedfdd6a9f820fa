/** A signal with a time limit. */
export interface Deadline {
  signal: AbortSignal;
  /** Removes the time limit. The signal still aborts when one of the given signals aborts. */
  lift: () => void;
  /** Releases the timer and the listeners on the given signals. */
  clear: () => void;
}

/** Creates a signal that aborts after `timeoutMs`, or when one of the given signals aborts. */
export function createDeadline(timeoutMs: number, signals: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  const listeners = signals.map((signal) => {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return { signal, abort };
  });
  return {
    signal: controller.signal,
    lift: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer);
      // The listeners are removed, because some of the given signals outlive many requests and would collect listeners.
      for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort);
    },
  };
}
