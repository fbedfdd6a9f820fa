/** The failures of workers of one revision. */
export interface Crashes {
  /** Number of failures in a row. */
  readonly failures: number;
  readonly lastAtMs: number;
  /** Time before which no further worker process is started. Not used for pods. */
  readonly retryAtMs: number;
  readonly lastHow: string;
}

/** Number of failures in a row after which workers count as unable to start. */
const FAILURE_LIMIT = 3;
/** Time for which a worker must accept sessions to count as recovered. Earlier failures then no longer count. */
const RECOVERED_AFTER_MS = 5000;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/**
 * Counts one more failure. `readyForMs` is the time for which the worker accepted sessions, undefined if it never did.
 */
export function countCrash(
  before: Crashes | undefined,
  crash: { how: string; readyForMs: number | undefined; nowMs: number },
): Crashes {
  const hadRecovered = crash.readyForMs !== undefined && crash.readyForMs >= RECOVERED_AFTER_MS;
  const failures = hadRecovered ? 1 : (before?.failures ?? 0) + 1;
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  return { failures, lastAtMs: crash.nowMs, retryAtMs: crash.nowMs + delayMs, lastHow: crash.how };
}

/** Returns the message of a start failure. Undefined while there are fewer failures than the limit. */
export function describeCrashes(crashes: Crashes | undefined): string | undefined {
  if (crashes === undefined || crashes.failures < FAILURE_LIMIT) return undefined;
  return `workers fail to start, ${crashes.failures} times in a row; the last ${crashes.lastHow}`;
}

/**
 * Reports whether a worker shows that its revision works again. It must have started after the last failure and stayed
 * ready.
 */
export function hasRecovered(
  crashes: Crashes,
  worker: { startedMs: number; readyAtMs: number | undefined },
  nowMs: number,
): boolean {
  const { startedMs, readyAtMs } = worker;
  return startedMs >= crashes.lastAtMs && readyAtMs !== undefined && nowMs - readyAtMs >= RECOVERED_AFTER_MS;
}
