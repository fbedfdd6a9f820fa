import { join } from 'node:path';
import { runCommand } from '../../tools/cluster/command.ts';
import type { Harness } from './harness.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/svc-asr.js');

/** Runs `svc-asr` with these environment variables; resolves with its output. */
export function runCli(args: readonly string[], variables: Readonly<Record<string, string>>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  return runCommand(process.execPath, [COMMAND, ...args], { env: { PATH, HOME, ...variables } });
}

/** Runs `svc-asr admin` against the installation. */
export async function runAdmin(harness: Harness, args: readonly string[]): Promise<string> {
  const { url, token } = await harness.adminAccess();
  return runCli(['admin', ...args], { SVC_ASR_ADMIN_URL: url, SVC_ASR_ADMIN_TOKEN: token });
}
