import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LockOptions {
  file: string;
  /** Who takes it; a lock that the same one left is taken over at once. */
  owner: string;
  renewMs: number;
  /** A lock that was not renewed for so long belongs to nobody. */
  staleMs: number;
  pollMs: number;
  /** Told once when somebody else has it. */
  onWait: () => void;
}

/** A lock that is held. */
export interface Lock {
  /** Aborts when somebody took it over, since it seemed to be left. */
  signal: AbortSignal;
  release: () => Promise<void>;
}

/**
 * Takes a lock among processes of many machines that share a volume. It keeps two from doing the same work; nothing
 * goes wrong where two do it all the same. Whoever waits goes by its own clock alone: that of the holder may be another.
 *
 * @returns undefined when `isDone` says that there is nothing left to do.
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
    if (text !== `${owner} ${count}`) lost.abort(new Error('the lock of the artifact was taken over'));
    else await writeFile(file, `${owner} ${++count}`);
  };
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // A volume that does not answer must not pile up.
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

/** Takes a lock away that was left; of several who try one succeeds, and one that was renewed meanwhile is put back. */
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
