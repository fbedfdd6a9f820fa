import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startTime } from '../supervise/alive.ts';
import { readIfPresent } from './files.ts';

/** Thrown when another start uses the same folder. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
  readonly pid: number;
  constructor(pid: number, folder: string) {
    super(
      `npm start already runs for ${folder} (process ${pid}); stop it first, or choose another folder with SVC_ASR_HOME and another port with PORT`,
    );
    this.pid = pid;
  }
}

interface Owner {
  pid: number;
  /** Start time of the process as reported by the kernel. It is compared because the pid may have been reused. */
  startedAt: string | undefined;
}

/** Locks the folder for this process. Returns a function that releases the lock. */
export function lockFolder(folder: string): () => void {
  const lock = join(folder, 'lock');
  const draft = join(folder, `lock.${process.pid}`);
  const owner: Owner = { pid: process.pid, startedAt: startTime(process.pid) };
  writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
  try {
    // A link is created atomically, so that no process reads an incomplete lock.
    while (!tryLink(draft, lock)) {
      const holder = readOwner(lock);
      if (holder !== undefined && lives(holder)) throw new AlreadyRunning(holder.pid, folder);
      discardStale(lock, draft);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readOwner(lock)?.pid === process.pid) rmSync(lock, { force: true });
  };
}

/** Moves a stale lock away. If another start has replaced it meanwhile with a valid one, restores it. */
function discardStale(lock: string, draft: string): void {
  const moved = `${draft}.stale`;
  try {
    renameSync(lock, moved);
  } catch {
    return;
  }
  const holder = readOwner(moved);
  if (holder !== undefined && lives(holder)) tryLink(moved, lock);
  rmSync(moved, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readIfPresent(file) ?? '') as Owner;
  } catch {
    return undefined;
  }
}

function lives(owner: Owner): boolean {
  return isAlive(owner.pid) && (owner.startedAt === undefined || startTime(owner.pid) === owner.startedAt);
}
