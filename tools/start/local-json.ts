import { chmodSync } from 'node:fs';
import { readJson, writeAtomically } from './files.ts';

/**
 * Data that other programs on this machine need to use a local installation. `pid` is present while the installation
 * runs.
 */
export interface LocalJson {
  base_url: string;
  console_url: string;
  admin_url: string;
  console_admin_url: string;
  gateway_admin_url: string;
  operator_admin_url: string;
  ca_file: string;
  api_key: string;
  admin_token: string;
  redis_url: string;
  pid?: number;
}

/** Reads the file of an earlier run. Returns undefined if it is missing or damaged. */
export function readLocalJson(file: string): Partial<LocalJson> | undefined {
  return readJson<LocalJson>(file);
}

/** Writes the file. Only its owner can read it, because it contains secrets. */
export function writeLocalJson(file: string, content: Partial<LocalJson>): void {
  writeAtomically(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
  chmodSync(file, 0o600);
}

/** Removes the pid when the service has stopped. The key and the addresses are kept for the next run. */
export function markStopped(file: string): void {
  const { pid, ...rest } = readLocalJson(file) ?? {};
  if (pid !== undefined) writeLocalJson(file, rest);
}
