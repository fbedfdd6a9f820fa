// @ts-check
import { readFileSync } from 'node:fs';

/**
 * Returns whether a process runs. A zombie does not count as running.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
  return statFields(pid)?.[0] !== 'Z';
}

/**
 * Returns the start time of a process as the kernel reports it, or undefined if /proc does not list the process.
 * @param {number} pid
 */
export function startTime(pid) {
  return statFields(pid)?.[19];
}

/**
 * Returns whether a recorded process still runs. The pid may have been reused, so the start time must match if known.
 * @param {{ pid: number, startedAt?: string | undefined }} record
 */
export function isRunning({ pid, startedAt }) {
  return isAlive(pid) && (startedAt === undefined || startTime(pid) === startedAt);
}

/**
 * Returns the fields of /proc/PID/stat from the third one (the state). The second one, the name, may contain any
 * character.
 * @param {number} pid
 */
function statFields(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
