import { spawn } from 'node:child_process';
import { logProgress, onStop } from '../launch/terminal.mjs';
import { endGroup } from '../supervise/signals.ts';

const running = new Set<number>();

/**
 * Runs a command with its output on the terminal. Resolves with its exit status, or with 1 if it could not be run or
 * was ended by a signal. The command has its own process group. Ending this group also ends the processes that the
 * command has started, such as jest workers and their servers.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  report = logProgress,
  options: { cwd?: string } = {},
): Promise<number> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  return new Promise((resolve) => {
    const end = (status: number) => {
      if (pid !== undefined) {
        endGroup(pid);
        running.delete(pid);
      }
      resolve(status);
    };
    child.on('error', (error) => {
      report(error.message);
      end(1);
    });
    child.on('exit', (code) => end(code ?? 1));
  });
}

/** Ends every running command. */
export function endRunning(): void {
  for (const pid of running) endGroup(pid);
}

/** Ends the running commands and this process on a signal, or when the launcher (tools/run.mjs) has ended. */
export function endOnSignal(): void {
  onStop(() => {
    endRunning();
    process.exit(130);
  });
}
