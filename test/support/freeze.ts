import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

/**
 * Suspends a process with SIGSTOP, and waits until all its threads have stopped. On a busy machine, that can take tens
 * of milliseconds, in which the process could still send a response.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await eventually(`all threads of process ${pid} have stopped`, 30_000, () => hasStopped(pid));
}

/** Resumes a process that `freeze` has suspended. */
export function thaw(pid: number): void {
  process.kill(pid, 'SIGCONT');
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
  } catch {
    return undefined;
  }
}
