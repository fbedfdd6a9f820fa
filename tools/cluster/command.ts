import { execFile } from 'node:child_process';

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
  { input = '', env = process.env, timeoutMs = 120_000 }: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout: timeoutMs, maxBuffer: Infinity };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') reject(new Error(error.message, { cause: error }));
      else resolve({ status: error === null ? 0 : (error.code ?? error.signal ?? ''), stdout, stderr });
    });
    // A command may end without reading its input.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** Runs a command and resolves with its output. Rejects with its error output if it fails. */
export async function runCommand(command: string, args: readonly string[], options?: CommandOptions): Promise<string> {
  const { status, stdout, stderr } = await tryCommand(command, args, options);
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
}
