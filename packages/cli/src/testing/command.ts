import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/svc-asr.js', import.meta.url));

export interface Ended {
  status: number | null;
  out: string;
  err: string;
}

export interface CommandOptions {
  /** Another Node than the one that runs the tests. */
  node?: string;
  /** What standard input holds; absent: it is empty. */
  input?: Uint8Array;
  onStart?: (child: ChildProcess) => void;
}

/** Runs the built command in a process of its own, with this environment and no other. */
export function runCommand(
  line: readonly string[],
  env: Record<string, string>,
  { node = process.execPath, input, onStart }: CommandOptions = {},
): Promise<Ended> {
  const child = spawn(node, [COMMAND, ...line], { env, stdio: 'pipe' });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  onStart?.(child);
  // A command that ends before it has read everything breaks the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out, err }));
  });
}
