import { setTimeout as sleep } from 'node:timers/promises';
import { isOurs } from './records.ts';
import type { WorkerProcess } from './records.ts';

const POLL_MS = 50;

/** Asks a worker process to stop, and kills it after the grace period. Resolves when it has ended. */
export async function endWorker(worker: Pick<WorkerProcess, 'pid' | 'identity'>, graceMs: number): Promise<void> {
  signal(worker, 'SIGTERM');
  const deadlineMs = performance.now() + graceMs;
  while (isOurs(worker) && performance.now() < deadlineMs) await sleep(POLL_MS);
  while (isOurs(worker)) {
    signal(worker, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

function signal(worker: Pick<WorkerProcess, 'pid' | 'identity'>, name: NodeJS.Signals): void {
  if (!isOurs(worker)) return;
  try {
    process.kill(worker.pid, name);
  } catch {
    // The process ended between the check and the signal.
  }
}
