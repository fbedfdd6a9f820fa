/** A signal that ends something in time. */
export interface Deadline {
  signal: AbortSignal;
  /** From now on there is no limit of time; the given signals still end it. */
  lift: () => void;
  /** Lets go of the timer and of the signals that were listened to. */
  clear: () => void;
}

/** A signal that aborts after `timeoutMs`, or with any of the given signals. */
export function createDeadline(timeoutMs: number, signals: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`it took more than ${timeoutMs} ms`)), timeoutMs);
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
      // Signals that outlive many requests must not gather a listener of each.
      for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort);
    },
  };
}
