import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../lib/plan.ts';
import { readK6Metrics } from './k6-metrics.ts';
import type { K6Metrics } from './k6-metrics.ts';
import { runK6 } from './k6.ts';

const LOWER_INTERVAL_MS = 1000;

/** Options of the k6 process that acts as the noisy tenant. */
export interface NoiseOptions {
  readonly k6: string;
  /** Folder for the plan and the metrics. */
  readonly folder: string;
  readonly caFile: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the noisy tenant in a k6 process of its own, and returns its metrics. The process has the lowest priority.
 * The run then measures the cost of the requests for the service, and not the cost of generating them.
 */
export async function runNoise(plan: Plan, { k6, folder, caFile, signal }: NoiseOptions): Promise<K6Metrics> {
  const [planFile, metricsFile] = [join(folder, 'noise-plan.json'), join(folder, 'noise-metrics.json')];
  const callers = plan.callers.filter(({ role }) => role === 'noisy');
  const noisePlan: Plan = { ...plan, callers, metricsFile, requiresLatency: false };
  writeFileSync(planFile, JSON.stringify(noisePlan), { mode: 0o600 });
  let timer: NodeJS.Timeout | undefined;
  const onStart = (pid: number) => {
    lowerPriority(pid);
    timer = setInterval(() => lowerPriority(pid), LOWER_INTERVAL_MS);
  };
  try {
    await runK6(
      k6,
      { script: 'noise', planFile, reportFile: '', caFile, address: '', ownSession: true, onStart },
      signal,
    );
  } finally {
    clearInterval(timer);
  }
  return readK6Metrics(metricsFile);
}

/**
 * Gives a process the lowest priority. On Linux, each thread has its own priority. A new thread inherits the priority
 * of the thread that started it. A thread may have started other threads before its priority was lowered, so `runNoise`
 * calls this function repeatedly. If Linux schedules each process session as a group (autogroup), a priority counts
 * only within its process session. The process session of k6 then gets the lowest priority too.
 */
export function lowerPriority(pid: number): void {
  const folder = `/proc/${pid}/task`;
  for (const thread of existsSync(folder) ? readdirSync(folder) : [pid]) {
    ignoreEnded(() => setPriority(Number(thread), constants.priority.PRIORITY_LOW));
  }
  const autogroup = `/proc/${pid}/autogroup`;
  if (existsSync(autogroup)) ignoreEnded(() => writeFileSync(autogroup, String(constants.priority.PRIORITY_LOW)));
}

/** Runs a function and ignores its errors, because the process or the thread may have ended in the meantime. */
function ignoreEnded(lower: () => void): void {
  try {
    lower();
  } catch {
    // The process or the thread has probably ended.
  }
}
