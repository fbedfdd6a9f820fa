import { spawn } from 'node:child_process';
import { say } from '../launch/terminal.mjs';
import { endGroup } from '../supervise/signals.ts';

const running = new Set<number>();

/**
 * Runs a command with its output on the terminal; resolves with its status, 1 when it could not be run. It has a
 * process group of its own, so that ending it ends whatever it started: test workers, and the servers of tests.
 */
export async function runCommand(command: string, args: readonly string[], tell = say): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
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
      tell(error.message);
      end(1);
    });
    child.on('exit', (code) => end(code ?? 1));
  });
}

/** Ends what runs. */
export function endRunning(): void {
  for (const pid of running) endGroup(pid);
}

/** Ends the running command and this process when a person or the launcher's end asks for it. */
export function endOnSignal(): void {
  const end = () => {
    endRunning();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  process.on('disconnect', end);
}
