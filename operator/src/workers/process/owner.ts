import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './identity.ts';
import { isOurs } from './records.ts';

/** The operator that owns a state folder and all workers in it. */
export interface Owner {
  pid: number;
  identity: string;
}

/** Makes this process the owner of the folder. Throws if another running operator owns it. */
export function takeOwnership(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const before = readOwner(folder);
  if (before !== undefined && before.pid !== process.pid && isOurs(before)) {
    throw new Error(
      `WORKER_STATE_FOLDER ${folder} is used by another operator (process ${before.pid}): stop it, or set another folder`,
    );
  }
  const owner: Owner = { pid: process.pid, identity: identityOf(process.pid) ?? '' };
  const temporary = join(folder, `owner.${process.pid}.tmp`);
  writeFileSync(temporary, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(temporary, join(folder, 'owner'));
}

/**
 * Returns the owner of the folder. Undefined if the folder never had an owner, or if the record of the owner is
 * unreadable.
 */
export function readOwner(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner'), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}
