import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended and that nobody has waited for (a zombie) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statFields(pid)?.[0] !== 'Z';
}

/** When a process started, as the kernel counts; undefined where there is no /proc. */
export function startTime(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/** The fields of /proc/PID/stat from the third (the state) on: the second, the name, may hold anything. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
