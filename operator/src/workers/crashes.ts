/** How the workers of one revision have failed. */
export interface Crashes {
  /** In a row. */
  readonly failures: number;
  readonly lastAtMs: number;
  /** No worker is started before. */
  readonly retryAtMs: number;
  readonly lastHow: string;
}

/** So many failures in a row, and it is known that workers cannot start. */
const CANNOT_START = 3;
/** Who took sessions for this long could start and was well: what failed before no longer counts. */
const WELL_AFTER_MS = 5000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

/** Counts one more failure; `readyForMs`: how long the worker took sessions, undefined when it never did. */
export function countCrash(
  before: Crashes | undefined,
  crash: { how: string; readyForMs: number | undefined; nowMs: number },
): Crashes {
  const wasWell = crash.readyForMs !== undefined && crash.readyForMs >= WELL_AFTER_MS;
  const failures = wasWell ? 1 : (before?.failures ?? 0) + 1;
  const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  return { failures, lastAtMs: crash.nowMs, retryAtMs: crash.nowMs + delayMs, lastHow: crash.how };
}

/** What is known to be wrong after these failures; undefined: it may work the next time. */
export function describeCrashes(crashes: Crashes | undefined): string | undefined {
  if (crashes === undefined || crashes.failures < CANNOT_START) return undefined;
  return `workers fail to start, ${crashes.failures} times in a row; the last ${crashes.lastHow}`;
}

/** Whether a worker shows that what failed before works now: one that was started since and has been well for a while. */
export function hasRecovered(
  crashes: Crashes,
  worker: { startedMs: number; readyAtMs: number | undefined },
  nowMs: number,
): boolean {
  const { startedMs, readyAtMs } = worker;
  return startedMs >= crashes.lastAtMs && readyAtMs !== undefined && nowMs - readyAtMs >= WELL_AFTER_MS;
}
