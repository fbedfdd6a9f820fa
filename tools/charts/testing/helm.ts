import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GoToolName } from '../../install/go-tool.ts';
import { findGoTool } from '../../install/go-tools.ts';

const TIMEOUT_MS = 120_000;

/** How a program ended. */
export interface Ended {
  status: number | null;
  output: string;
  complaints: string;
}

/** Runs a program that is built from Go modules, with nothing of the person's own configuration. */
export function runTool(name: GoToolName, args: readonly string[], options: { input?: string } = {}): Promise<Ended> {
  const command = findGoTool(name);
  if (command === undefined) throw new Error(`${name} is missing: \`npm test\` builds it`);
  const home = mkdtempSync(join(tmpdir(), 'svc-asr-helm-'));
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: home },
    timeout: TIMEOUT_MS,
    stdio: 'pipe',
  });
  let [output, complaints] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // One that ends without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      rmSync(home, { recursive: true, force: true });
      resolve({ status, output, complaints });
    });
  });
}

/** Runs helm; rejects with what it complains of. */
export async function helm(args: readonly string[], input = ''): Promise<string> {
  const { status, output, complaints } = await runTool('helm', args, { input });
  if (status === 0) return output;
  throw new Error(`helm ${args.join(' ')} ended with ${String(status)}: ${complaints}${output}`);
}
