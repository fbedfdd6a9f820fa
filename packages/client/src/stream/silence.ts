export interface Silence {
  reset: () => void;
  stop: () => void;
}

/** Calls `onSilence` once if `reset` was not called for `timeoutMs`. */
export function watchSilence(timeoutMs: number, onSilence: () => void): Silence {
  let timer = setTimeout(onSilence, timeoutMs);
  return {
    reset: () => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, timeoutMs);
    },
    stop: () => clearTimeout(timer),
  };
}
