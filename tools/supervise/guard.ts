import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Ends the programs of a supervisor that was killed without a chance to do so itself. */
export interface Guard {
  readonly pid: number | undefined;
  watch: (pid: number) => void;
  forget: (pid: number) => void;
  close: () => void;
}

/**
 * Starts a small process that holds one end of a pipe. When the supervisor is gone, however it went, the pipe closes
 * and the guard ends what it was told of, the last started first.
 */
export function startGuard(node: string): Guard {
  const child = spawn(node, [join(import.meta.dirname, 'guard-process.ts')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without the guard everything works but one thing: cleaning up after a kill -9.
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
