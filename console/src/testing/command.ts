import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/svc-asr.js', import.meta.url));

export interface Ended {
  status: number | null;
  out: string;
  err: string;
}

/** Runs the built `svc-asr` command in a new process with only this environment. */
export function runCommand(line: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [COMMAND, ...line], {
    env: { ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out, err }));
  });
}
