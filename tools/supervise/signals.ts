import type { ChildProcess } from 'node:child_process';

/** Kills all processes of the group with this id. */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no processes any more.
  }
}

/**
 * Sends SIGTERM to a process, and kills its group if the process does not end within the grace period. Resolves when
 * the process has ended.
 */
export async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const { pid } = child;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const timer = setTimeout(() => endGroup(pid), graceMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}
