import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../launch/terminal.mjs';
import { AlreadyRunning, lockFolder } from '../start/lock.ts';

const POLL_MS = 500;

/** Runs work in a folder under a lock. Waits for another process that holds the lock, without a timeout. */
export async function whileLocked<T>(folder: string, waiting: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true });
  let release = tryLock(folder);
  if (release === undefined) say(waiting);
  while (release === undefined) {
    await sleep(POLL_MS);
    release = tryLock(folder);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

function tryLock(folder: string): (() => void) | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof AlreadyRunning) return undefined;
    throw error;
  }
}
