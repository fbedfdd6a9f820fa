import { existsSync, readFileSync } from 'node:fs';

const FILE = '/proc/stat';
const INTERVAL_MS = 500;

/** Total and idle CPU time of a machine since its start, in clock ticks. */
export interface CpuTime {
  readonly total: number;
  readonly idle: number;
}

/** Reads the CPU time from the text of /proc/stat. */
export function parseCpuTime(stat: string): CpuTime {
  // The fields after `steal` are ignored, because earlier fields already include their times.
  const ticks = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '').split(' ').slice(0, 8).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  return { total: ticks.reduce((sum, value) => sum + value, 0), idle: idle + waiting };
}

/** Measures the idle CPU time of this machine while a condition is true. */
export interface IdleWatch {
  /** Share of the CPU time that was idle, from 0 to 1. Null if nothing was measured. */
  readonly share: number | null;
  readonly stop: () => void;
}

/** Starts a measurement on Linux. On other systems it measures nothing. */
export function watchIdleTime(
  isMeasured: () => boolean,
  read: () => CpuTime = () => parseCpuTime(readFileSync(FILE, 'utf8')),
): IdleWatch {
  if (!existsSync(FILE)) return { share: null, stop: () => undefined };
  let [idle, total] = [0, 0];
  let last = { time: read(), isMeasured: isMeasured() };
  const add = () => {
    const next = { time: read(), isMeasured: isMeasured() };
    if (last.isMeasured && next.isMeasured) {
      idle += next.time.idle - last.time.idle;
      total += next.time.total - last.time.total;
    }
    last = next;
  };
  const timer = setInterval(add, INTERVAL_MS);
  return {
    get share() {
      return total === 0 ? null : idle / total;
    },
    stop: () => {
      clearInterval(timer);
      add();
    },
  };
}
