import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** Ends the workers of an operator that was killed and that no other operator took over from. */
export interface Guard {
  /** Its end tells that the operator is gone. */
  pipe: Writable;
  /** There is nothing to guard any more. */
  close: () => void;
}

/**
 * Starts a small process that holds one end of a pipe. When the operator is gone, however it went, the pipe closes; the
 * guard gives a next operator time to take the workers over, and ends those that none has taken.
 */
export function startGuard(stateFolder: string, takeOverMs: number): Guard {
  const compiled = join(import.meta.dirname, 'guard-process.js');
  const program = existsSync(compiled) ? compiled : join(import.meta.dirname, 'guard-process.ts');
  const child = spawn(process.execPath, [program, stateFolder, String(takeOverMs)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without the guard everything works but one thing: cleaning up after a kill -9 that nobody follows up.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return { pipe: child.stdin, close: () => child.stdin.end('done\n') };
}
