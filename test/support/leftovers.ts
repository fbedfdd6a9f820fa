import type { ChildProcess } from 'node:child_process';

declare global {
  /** Functions that end what the test file has started. Undefined outside of jest, for example in benchmarks. */
  var leftovers: Set<() => Promise<unknown>> | undefined;
}

/**
 * Registers how to end something that would keep jest from exiting. The jest environment calls `end` after the last
 * hook of the test file. Hooks do not suffice, because they do not run to their end if a start has failed. `end` must
 * do nothing if it was called before.
 */
export function endAfterFile(end: () => Promise<unknown>): void {
  globalThis.leftovers?.add(end);
}

/** Kills a process after the test file, if it still runs. */
export function killAfterFile(child: ChildProcess): void {
  endAfterFile(() => endProcess(child, 'SIGKILL'));
}

/** Sends a signal to a process and waits for its end. Does nothing if the process has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}

/** Returns whether a process has exited or was killed by a signal. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
