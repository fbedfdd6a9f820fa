import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LockOptions {
  file: string;
  /**
   * Name of the process that takes the lock. If the lock file contains the same name, an earlier process with this name
   * left the lock behind. The lock is then taken without waiting.
   */
  owner: string;
  renewMs: number;
  /** Time without renewal after which a lock counts as abandoned. */
  staleMs: number;
  pollMs: number;
  /** Called once if the lock file exists, even if an earlier process with the same name left it behind. */
  onWait: () => void;
}

/** A lock that this process holds. */
export interface Lock {
  /** Aborts when another process has taken the lock because this process did not renew it in time. */
  signal: AbortSignal;
  release: () => Promise<void>;
}

/**
 * Takes a lock that processes on several machines share through a volume. The lock only avoids duplicate work, and the
 * result is correct even without it. A waiting process measures the time without a renewal with its own clock, because
 * the clocks of the machines may differ.
 *
 * @returns Undefined if `isDone` reports that the work is already done.
 */
export async function takeLock(options: LockOptions, isDone: () => Promise<boolean>): Promise<Lock | undefined> {
  const { file, owner, staleMs, pollMs, onWait } = options;
  let seen: { text: string; sinceMs: number } | undefined;
  for (;;) {
    if (await isDone()) return undefined;
    if (await create(file, `${owner} 0`)) return hold(options);
    const text = await readText(file);
    if (text === undefined) continue;
    if (seen === undefined) onWait();
    if (seen?.text !== text) seen = { text, sinceMs: performance.now() };
    const left = text.startsWith(`${owner} `) || performance.now() - seen.sinceMs >= staleMs;
    if (left) await remove(file, owner, text);
    else await sleep(pollMs);
  }
}

/** Renews the lock until it is released. */
function hold({ file, owner, renewMs }: LockOptions): Lock {
  const lost = new AbortController();
  let count = 0;
  const renew = async () => {
    const text = await readText(file);
    if (text !== `${owner} ${count}`) lost.abort(new Error('another process took over the lock of the artifact'));
    else await writeFile(file, `${owner} ${++count}`);
  };
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // Each renewal waits for the previous one, so that two renewals never access the file at the same time.
    renewing = renewing.then(renew).catch(() => undefined);
  }, renewMs);
  return {
    signal: lost.signal,
    release: async () => {
      clearInterval(timer);
      await renewing;
      if (!lost.signal.aborted) await rm(file, { force: true });
    },
  };
}

/**
 * Removes an abandoned lock. If several processes call this at the same time, only one of them removes the lock. If the
 * holder has renewed the lock since it was read, restores the lock.
 */
async function remove(file: string, owner: string, seen: string): Promise<void> {
  const taken = `${file}.${owner}`;
  try {
    await rename(file, taken);
    if ((await readText(taken)) !== seen) await link(taken, file).catch(() => undefined);
    await rm(taken, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function create(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o644);
    await handle.writeFile(text);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
