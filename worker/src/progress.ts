/** Result of the last check of an engine's progress. `stalledMs` is the time without progress. */
export interface Stall {
  readonly progress: number;
  readonly atMs: number;
  readonly stalledMs: number;
}

/**
 * Returns the stall after another check. A check adds at most two intervals to `stalledMs`. If more time has passed
 * since the last check, the whole process was suspended, for example by SIGSTOP. The inference thread could not run in
 * this time.
 */
export function updateStall(stall: Stall, progress: number, nowMs: number, intervalMs: number): Stall {
  if (progress !== stall.progress) return { progress, atMs: nowMs, stalledMs: 0 };
  const passedMs = Math.min(nowMs - stall.atMs, 2 * intervalMs);
  return { progress, atMs: nowMs, stalledMs: stall.stalledMs + passedMs };
}

/** A running watch over the progress of an engine. */
export interface ProgressWatch {
  /** Milliseconds without progress. */
  readonly stalledMs: number;
  stop: () => void;
}

/** Checks the progress of an engine every `intervalMs`. Calls `onProgress` after each check that finds progress. */
export function watchProgress(
  engine: { readonly progress: number },
  intervalMs: number,
  onProgress: () => void,
): ProgressWatch {
  let stall: Stall = { progress: engine.progress, atMs: performance.now(), stalledMs: 0 };
  const timer = setInterval(() => {
    stall = updateStall(stall, engine.progress, performance.now(), intervalMs);
    if (stall.stalledMs === 0) onProgress();
  }, intervalMs);
  return {
    get stalledMs() {
      return stall.stalledMs;
    },
    stop: () => clearInterval(timer),
  };
}
