import { spawn } from 'node:child_process';

/** Runs a command and resolves with what it prints; rejects with what it complains of. */
export function runCommand(
  command: string,
  args: readonly string[],
  {
    input = '',
    env = process.env,
    timeoutMs = 120_000,
  }: { input?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, timeout: timeoutMs, stdio: 'pipe' });
    let output = '';
    let complaints = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    // One that ends without reading its input.
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code ?? signal ?? ''}: ${complaints}${output}`));
    });
    child.stdin.end(input);
  });
}
