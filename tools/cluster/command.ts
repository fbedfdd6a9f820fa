import { spawn } from 'node:child_process';

export interface CommandOptions {
  input?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
}

/** Result of a command. */
export interface CommandResult {
  /** Exit status, or the name of the signal that ended the command. */
  status: number | string;
  stdout: string;
  stderr: string;
}

/** Runs a command. Resolves with its result, and rejects only if it cannot be started. */
export function tryCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { input = '', env = process.env, timeoutMs = 120_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, timeout: timeoutMs, stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // A command may end without reading its input.
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ status: code ?? signal ?? '', stdout, stderr }));
    child.stdin.end(input);
  });
}

/** Runs a command and resolves with its output. Rejects with its error output if it fails. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { status, stdout, stderr } = await tryCommand(command, args, options);
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
}
