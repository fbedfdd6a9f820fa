export interface Silence {
  heard: () => void;
  stop: () => void;
}

/** Calls `onSilence` once when nothing was heard for `timeoutMs`. */
export function watchSilence(timeoutMs: number, onSilence: () => void): Silence {
  let timer = setTimeout(onSilence, timeoutMs);
  return {
    heard: () => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, timeoutMs);
    },
    stop: () => clearTimeout(timer),
  };
}
