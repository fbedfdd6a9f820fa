import { join } from 'node:path';
import { runCommand } from '../../tools/cluster/command.ts';
import type { Stage } from './stage.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/svc-asr.js');

/** Runs `svc-asr` as somebody who has set nothing but this; resolves with what it prints. */
export function runClient(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  return runCommand(process.execPath, [COMMAND, ...args], { env: { PATH, HOME, ...settings } });
}

/** Runs `svc-asr admin` against the installation. */
export async function runAdmin(stage: Stage, args: readonly string[]): Promise<string> {
  const { url, token } = await stage.adminAccess();
  return runClient(['admin', ...args], { SVC_ASR_ADMIN_URL: url, SVC_ASR_ADMIN_TOKEN: token });
}
