import { spawn } from 'node:child_process';
import { join } from 'node:path';

const TIMEOUT_MS = 120_000;

/** Runs kubectl; resolves with what it prints, rejects with what it complains of. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Makes a kubectl that knows one cluster and nothing of the person's own. */
export function createKubectl(command: string, kubeconfig: string, folder: string): Kubectl {
  // What it knows of a server it keeps by address: that of an earlier one on the same port must not count.
  const fixed = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(folder, 'kubectl-cache')}`];
  return (args, input = '') =>
    new Promise((resolve, reject) => {
      const child = spawn(command, [...fixed, ...args], { timeout: TIMEOUT_MS, stdio: 'pipe' });
      let output = '';
      let complaints = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
      // One that ends without reading its input.
      child.stdin.on('error', () => undefined);
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (code === 0) resolve(output);
        else reject(new Error(`kubectl ${args.join(' ')} ended with ${code ?? signal ?? ''}: ${complaints}${output}`));
      });
      child.stdin.end(input);
    });
}
