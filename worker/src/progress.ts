/** How long the inference thread has shown no progress. */
export interface Stall {
  readonly progress: number;
  readonly atMs: number;
  readonly stalledMs: number;
}

/**
 * The stall after another look. Between two looks it grows by two intervals at most: while the whole process stood
 * still (a suspended machine, SIGSTOP) the inference thread could not move either.
 */
export function lookAgain(stall: Stall, progress: number, nowMs: number, intervalMs: number): Stall {
  if (progress !== stall.progress) return { progress, atMs: nowMs, stalledMs: 0 };
  const passedMs = Math.min(nowMs - stall.atMs, 2 * intervalMs);
  return { progress, atMs: nowMs, stalledMs: stall.stalledMs + passedMs };
}

/** What watches an engine. */
export interface ProgressWatch {
  /** Milliseconds without progress. */
  readonly stalledMs: number;
  stop: () => void;
}

/** Looks at an engine's progress again and again, and tells each time that there was some. */
export function watchProgress(
  engine: { readonly progress: number },
  intervalMs: number,
  onProgress: () => void,
): ProgressWatch {
  let stall: Stall = { progress: engine.progress, atMs: performance.now(), stalledMs: 0 };
  const timer = setInterval(() => {
    stall = lookAgain(stall, engine.progress, performance.now(), intervalMs);
    if (stall.stalledMs === 0) onProgress();
  }, intervalMs);
  return {
    get stalledMs() {
      return stall.stalledMs;
    },
    stop: () => clearInterval(timer),
  };
}
