// @ts-check
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, startTime } from './processes.mjs';
import { logProgress } from './terminal.mjs';

const POLL_MS = 200;

/**
 * Takes a lock. Returns a function that releases it, or the pid of the running process that holds it. The lock is a
 * file that names its owner. The lock is void when its owner has ended.
 * @param {string} file
 * @returns {(() => void) | number}
 */
export function tryLock(file) {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify({ pid: process.pid, startedAt: startTime(process.pid) }), { mode: 0o600 });
  try {
    // A link is created atomically, so that no process reads an incomplete lock.
    while (!tryLink(temporary, file)) {
      const holder = readOwner(file);
      if (holder !== undefined && isRunning(holder)) return holder.pid;
      discardStale(file, temporary);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  return () => {
    if (readOwner(file)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/**
 * Runs work under a lock. Waits for another process that holds the lock, without a timeout.
 * @template T
 * @param {string} file
 * @param {string} waiting message for the terminal if another process holds the lock
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, waiting, work) {
  mkdirSync(dirname(file), { recursive: true });
  let release = tryLock(file);
  if (typeof release === 'number') logProgress(waiting);
  while (typeof release === 'number') {
    await sleep(POLL_MS);
    release = tryLock(file);
  }
  // Also releases the lock if `work` ends the process, as `stop` of terminal.mjs does.
  process.once('exit', release);
  try {
    return await work();
  } finally {
    release();
    process.removeListener('exit', release);
  }
}

/**
 * Moves a stale lock away. If another process has meanwhile replaced the stale lock with a valid one, restores the
 * valid lock.
 * @param {string} file
 * @param {string} temporary
 */
function discardStale(file, temporary) {
  const moved = `${temporary}.stale`;
  try {
    renameSync(file, moved);
  } catch {
    return;
  }
  const holder = readOwner(moved);
  if (holder !== undefined && isRunning(holder)) tryLink(moved, file);
  rmSync(moved, { force: true });
}

/**
 * @param {string} from
 * @param {string} to
 */
function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {{ pid: number, startedAt?: string } | undefined}
 */
function readOwner(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
