import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of the threads of a process, in seconds, by thread id. */
export type ThreadUsage = ReadonlyMap<string, { readonly name: string; readonly cpuSeconds: number }>;

/** Ticks per second of the times in /proc. The value is the same on all current Linux systems. */
const TICKS = 100;

/** Reads the CPU time of every thread of a process. Returns an empty map if /proc cannot be read. */
export function readThreadUsage(pid: number): ThreadUsage {
  const folder = `/proc/${pid}/task`;
  try {
    return new Map(
      readdirSync(folder).map((id) => {
        const stat = readFileSync(`${folder}/${id}/stat`, 'utf8');
        const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [id, { name, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS }];
      }),
    );
  } catch {
    return new Map();
  }
}

/** Threads that use fewer cores than this are combined into one entry. */
const SMALL_CORES = 0.02;

/** Returns how many cores each thread used between two readings, starting with the busiest thread. */
export function busyThreads(
  before: ThreadUsage,
  after: ThreadUsage,
  seconds: number,
): { name: string; cores: number }[] {
  const all = [...after].map(([id, { name, cpuSeconds }]) => {
    return { name: `${name}-${id}`, cores: (cpuSeconds - (before.get(id)?.cpuSeconds ?? 0)) / seconds };
  });
  const large = all.filter(({ cores }) => cores >= SMALL_CORES).sort((a, b) => b.cores - a.cores);
  const rest = all.filter(({ cores }) => cores < SMALL_CORES).reduce((sum, { cores }) => sum + cores, 0);
  return [...large, { name: 'others', cores: rest }];
}
