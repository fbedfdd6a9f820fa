import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Ends the programs of a supervisor that was killed. */
export interface Guard {
  readonly pid: number | undefined;
  watch: (pid: number) => void;
  forget: (pid: number) => void;
  close: () => void;
}

/**
 * Starts the guard, a small process that reads from a pipe of the supervisor. The pipe closes when the supervisor ends
 * for any reason. The guard then ends the watched processes in reverse order.
 */
export function startGuard(node: string): Guard {
  const child = spawn(node, [join(import.meta.dirname, 'guard-process.ts')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Errors of the guard are ignored. Without the guard, only the cleanup after a SIGKILL of the supervisor is missing.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    pid: child.pid,
    watch: (pid) => child.stdin.write(`+${pid}\n`),
    forget: (pid) => child.stdin.write(`-${pid}\n`),
    close: () => child.stdin.end(),
  };
}
