import type { ChildProcess } from 'node:child_process';

/** Kills whatever is left of a process group. */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** Asks a process to stop and kills its group when it has not done so in time; resolves when it is gone. */
export async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const { pid } = child;
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const timer = setTimeout(() => endGroup(pid), graceMs);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(timer);
}
