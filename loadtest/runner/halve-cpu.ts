import { isOurs, openRecords } from '../../operator/src/workers/process/records.ts';
import { logProgress } from '../../tools/launch/terminal.mjs';
import type { CpuLimit } from './cpu-limit.ts';

/**
 * Number of cores that the workers of the model share after the limit was applied. Without the limit, the inference
 * thread of a worker alone can use a whole core.
 */
export const HALF_CORE = 0.5;

/**
 * Applies a CPU limit to the workers of a model after the given time. Returns a function that the caller must call at
 * the end of the run. The function throws if the limit was not applied.
 */
export function limitWorkersAfter(
  seconds: number,
  limit: CpuLimit,
  { workerRecords, model }: { workerRecords: string; model: string },
): () => void {
  let problem = `the run ended before the CPU of the worker was halved after ${seconds} s`;
  const timer = setTimeout(() => {
    try {
      const workers = openRecords(workerRecords)
        .read()
        .filter((worker) => worker.model === model && isOurs(worker));
      for (const { pid } of workers) limit.add(pid);
      problem = workers.length === 0 ? `no worker of ${model} ran after ${seconds} s` : '';
    } catch (error) {
      problem = `the CPU of the worker was not halved: ${error instanceof Error ? error.message : String(error)}`;
    }
    logProgress(problem === '' ? `the worker is limited to ${HALF_CORE} cores from now on` : problem);
  }, seconds * 1000);
  // The timer must not keep the process alive if the run is interrupted.
  timer.unref();
  return () => {
    clearTimeout(timer);
    if (problem !== '') throw new Error(problem);
  };
}
