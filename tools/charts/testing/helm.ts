import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryCommand } from '../../cluster/command.ts';
import type { CommandResult } from '../../cluster/command.ts';
import { findGoTool } from '../../install/go-tools.ts';
import type { GoToolName } from '../../install/go-tools.ts';

/** Runs a program that is built from Go modules. The program does not read the configuration of the current user. */
export async function runTool(
  name: GoToolName,
  args: readonly string[],
  options: { input?: string } = {},
): Promise<CommandResult> {
  const command = findGoTool(name);
  if (command === undefined) throw new Error(`${name} is missing: \`npm test\` builds it`);
  const home = mkdtempSync(join(tmpdir(), 'svc-asr-helm-'));
  try {
    // With a large GOGC, Go collects garbage rarely, which saves a fifth of the time of a short-lived process.
    const env = { PATH: process.env.PATH, HOME: home, GOGC: '400' };
    return await tryCommand(command, args, { ...options, env });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs helm and returns its output. Rejects with its error output if it fails. */
export async function helm(args: readonly string[], input = ''): Promise<string> {
  const { status, stdout, stderr } = await runTool('helm', args, { input });
  if (status === 0) return stdout;
  throw new Error(`helm ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
}
