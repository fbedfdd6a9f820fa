import { chmodSync } from 'node:fs';
import { readIfPresent, writeAtomically } from './files.ts';

/** What other programs of this machine need to use a local installation; `pid` is there while it runs. */
export interface LocalJson {
  base_url: string;
  console_url: string;
  admin_url: string;
  gateway_admin_url: string;
  operator_admin_url: string;
  ca_file: string;
  api_key: string;
  admin_token: string;
  redis_url: string;
  pid?: number;
}

/** Reads the file of an earlier run; undefined when there is none or it is damaged. */
export function readLocalJson(file: string): Partial<LocalJson> | undefined {
  try {
    return JSON.parse(readIfPresent(file) ?? '') as Partial<LocalJson>;
  } catch {
    return undefined;
  }
}

/** Writes the file; it holds secrets, so it is for its owner alone. */
export function writeLocalJson(file: string, content: Partial<LocalJson>): void {
  writeAtomically(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
  chmodSync(file, 0o600);
}

/** Takes the pid out of the file: the service no longer runs, its key and addresses may be wanted next time. */
export function markStopped(file: string): void {
  const { pid, ...rest } = readLocalJson(file) ?? {};
  if (pid !== undefined) writeLocalJson(file, rest);
}
