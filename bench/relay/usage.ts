import { readFileSync } from 'node:fs';

/** What a process has used. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Units of the times in /proc/PID/stat; Linux shows them to programs as hundredths of a second on every machine. */
const TICKS_PER_SECOND = 100;

/** CPU time and resident memory of one process, its children not counted. */
export function readUsage(pid: number): Usage {
  return parseUsage(readFileSync(`/proc/${pid}/stat`, 'utf8'), readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Reads the text of /proc/PID/stat and /proc/PID/status. */
export function parseUsage(stat: string, status: string): Usage {
  // The second field is the program's name, which may hold spaces and parentheses; the times are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, residentBytes: kib * 1024 };
}
