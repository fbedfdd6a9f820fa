import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** A process that ends the workers of a killed operator, unless another operator takes them over. */
export interface Guard {
  /** The pipe to the guard. It closes when the operator ends. */
  pipe: Writable;
  /** Ends the guard. Call after all workers have ended. */
  close: () => void;
}

/**
 * Starts a small process that holds one end of a pipe. The pipe closes when the operator ends, even if it is killed.
 * The guard then waits for the next operator to take the workers over, and ends the workers if none does.
 */
export function startGuard(stateFolder: string, takeOverMs: number): Guard {
  const compiled = join(import.meta.dirname, 'guard-process.js');
  const program = existsSync(compiled) ? compiled : join(import.meta.dirname, 'guard-process.ts');
  const child = spawn(process.execPath, [program, stateFolder, String(takeOverMs)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // An error is ignored, because the guard is only needed if the operator is killed and not restarted.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return { pipe: child.stdin, close: () => child.stdin.end('done\n') };
}
