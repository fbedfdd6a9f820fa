import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Fields of /proc/PID/stat, counted from the state on: the name before it may hold anything. */
const STATE = 0;
const START_TIME = 19;

/**
 * What tells a process from any other that ever had or will have its pid: when it started, and in which boot. Undefined
 * when there is none, or it has ended and only waits to be noticed.
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
