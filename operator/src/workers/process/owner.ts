import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './identity.ts';
import { isOurs } from './records.ts';

/** The operator that a state folder, and every worker in it, belongs to. */
export interface Owner {
  pid: number;
  identity: string;
}

/** Writes down that this process owns the folder now; refuses while another operator that lives does. */
export function takeOwnership(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const before = readOwner(folder);
  if (before !== undefined && before.pid !== process.pid && isOurs(before)) {
    throw new Error(
      `WORKER_STATE_FOLDER ${folder} belongs to another operator (process ${before.pid}): stop it, or set another folder`,
    );
  }
  const owner: Owner = { pid: process.pid, identity: identityOf(process.pid) ?? '' };
  const draft = join(folder, `owner.${process.pid}.draft`);
  writeFileSync(draft, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, 'owner'));
}

/** Who owns the folder; undefined: nobody ever did. */
export function readOwner(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner'), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}
