import { spawn } from 'node:child_process';

export interface CommandOptions {
  input?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
}

/** How a command ended: its status, or the signal that ended it. */
export interface Ended {
  status: number | string;
  output: string;
  complaints: string;
}

/** Runs a command and resolves with how it ended; rejects only when it cannot be run. */
export function endCommand(command: string, args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { input = '', env = process.env, timeoutMs = 120_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, timeout: timeoutMs, stdio: 'pipe' });
    let output = '';
    let complaints = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    // One that ends without reading its input.
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ status: code ?? signal ?? '', output, complaints }));
    child.stdin.end(input);
  });
}

/** Runs a command and resolves with what it prints; rejects with what it complains of. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { status, output, complaints } = await endCommand(command, args, options);
  if (status === 0) return output;
  throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${complaints}${output}`);
}
