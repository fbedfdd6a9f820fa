import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  const { url, token, ca } = await harness.adminAccess();
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
  const caFile = join(folder, 'admin-ca.crt');
  if (ca !== undefined) writeFileSync(caFile, ca);
  return runCli(['admin', ...args], {
    SVC_ASR_ADMIN_URL: url,
    SVC_ASR_ADMIN_TOKEN: token,
    SVC_ASR_CA_FILE: ca === undefined ? '' : caFile,
  }).finally(() => rmSync(folder, { recursive: true }));
}
