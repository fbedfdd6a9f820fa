import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Positions of fields in /proc/PID/stat, counted from the field `state`. They are not counted from the start of the
 * line, because the process name before `state` may contain spaces.
 */
const STATE = 0;
const START_TIME = 19;

/**
 * Returns the start time of a process, on Linux together with the id of the boot. This distinguishes the process from
 * others that had or will have the same pid. Undefined if there is no such process, or only a zombie.
 */
export function identityOf(pid: number): string | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[STATE] === 'Z' || fields[STATE] === 'X') return undefined;
  return `${read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''} ${fields[START_TIME] ?? ''}`;
}

function fromPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state = '', ...started] = stdout.trim().split(/\s+/);
  return state === '' || state.startsWith('Z') ? undefined : started.join(' ');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
