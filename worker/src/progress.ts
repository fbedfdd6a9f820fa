/** Result of the last check of the inference thread's progress. */
export interface Stall {
  readonly progress: number;
  readonly atMs: number;
  readonly stalledMs: number;
}

/**
 * Returns the stall after another check. It grows by at most two intervals with each check. If more time has passed,
 * the whole process was suspended, for example by SIGSTOP, and the inference thread could not run.
 */
export function updateStall(stall: Stall, progress: number, nowMs: number, intervalMs: number): Stall {
  if (progress !== stall.progress) return { progress, atMs: nowMs, stalledMs: 0 };
  const passedMs = Math.min(nowMs - stall.atMs, 2 * intervalMs);
  return { progress, atMs: nowMs, stalledMs: stall.stalledMs + passedMs };
}

/** Watches the progress of an engine. */
export interface ProgressWatch {
  /** Milliseconds without progress. */
  readonly stalledMs: number;
  stop: () => void;
}

/** Checks the progress of an engine at an interval. Calls `onProgress` after each check that finds progress. */
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
