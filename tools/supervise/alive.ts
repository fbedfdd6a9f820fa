import { readFileSync } from 'node:fs';

/** Returns whether a process runs. A zombie does not count as running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statFields(pid)?.[0] !== 'Z';
}

/** Returns the start time of a process as the kernel reports it, or undefined if there is no /proc. */
export function startTime(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/**
 * Returns the fields of /proc/PID/stat from the third one (the state). The second one, the name, may contain any
 * character.
 */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
