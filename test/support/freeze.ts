import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

/**
 * Suspends processes with SIGSTOP, and waits until all their threads have stopped. On a busy machine, that can take tens
 * of milliseconds, in which a process could still send a response. A test that then waits for the end of a lease can
 * send SIGSTOP itself.
 */
export async function freeze(...pids: number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await eventually(`all threads of ${pids.join(', ')} have stopped`, 30_000, () => pids.every(hasStopped));
  } catch (error) {
    thaw(...pids);
    throw error;
  }
}

/** Resumes processes that `freeze` has suspended. */
export function thaw(...pids: number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

function hasStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).every((thread) => stateOf(`${threads}/${thread}/stat`) === 'T');
}

/** Returns the state of a thread. Undefined if the thread has ended. */
function stateOf(file: string): string | undefined {
  try {
    // The state follows the name of the program, which may contain brackets.
    return /^.*\) (\S)/s.exec(readFileSync(file, 'utf8'))?.[1];
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
