import { readFileSync } from 'node:fs';

/** Resources that a process has used. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Peak resident memory since the start of the process. */
  readonly peakBytes: number;
}

/** Unit of the times in /proc/PID/stat. On every machine, Linux reports hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Returns CPU time and resident memory of one process, not including its children. */
export function readUsage(pid: number): Usage {
  return parseUsage(readFileSync(`/proc/${pid}/stat`, 'utf8'), readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Parses the text of /proc/PID/stat and /proc/PID/status. */
export function parseUsage(stat: string, status: string): Usage {
  // The second field is the program's name, which may contain spaces and parentheses. The times are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { cpuSeconds: ticks / TICKS_PER_SECOND, residentBytes: bytesOf('VmRSS'), peakBytes: bytesOf('VmHWM') };
}
