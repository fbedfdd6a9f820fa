import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../../../test/support/compile-cache.ts';

const COMMAND = fileURLToPath(new URL('../../bin/svc-asr.js', import.meta.url));

export interface CommandResult {
  status: number | null;
  out: string;
  err: string;
}

export interface CommandOptions {
  /** Path of another Node. Default: the one that runs the tests. */
  node?: string;
  /** Content of standard input. Empty if absent. */
  input?: Uint8Array;
  onStart?: (child: ChildProcess) => void;
}

/** Runs the built command in a separate process with this environment and no other settings. */
export function runCommand(
  line: readonly string[],
  env: Record<string, string>,
  { node = process.execPath, input, onStart }: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(node, [COMMAND, ...line], { env: { ...COMPILE_CACHE, ...env }, stdio: 'pipe' });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  onStart?.(child);
  // A command that exits before it has read all input breaks the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out, err }));
  });
}
