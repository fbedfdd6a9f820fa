// @ts-check
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from './terminal.mjs';

const POLL_MS = 200;

/**
 * Does something while no other process does it: the lock is a file that holds the pid of its owner, and counts for
 * nothing once that process is gone.
 * @param {string} file
 * @param {string} waiting said once when somebody else holds the lock
 * @param {() => void} work
 */
export function withLock(file, waiting, work) {
  mkdirSync(dirname(file), { recursive: true });
  for (let waits = 0; !take(file); waits++) {
    if (waits === 0) say(waiting);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  // `stop` ends the process within `work`, so the file must go at exit, not only after it.
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  work();
  release();
  process.removeListener('exit', release);
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!ownerLives(file)) rmSync(file, { force: true });
    return false;
  }
}

/** @param {string} file */
function ownerLives(file) {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
