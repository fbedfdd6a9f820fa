import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The mount points that a text of /proc/PID/mountinfo lists. */
export function parseMountPoints(mountinfo: string): string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined ? [] : [unescape(point)];
  });
}

/** The kernel writes spaces and the like as \040, in octal. */
function unescape(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

/** Every folder and file that something is mounted on, in any namespace of a process of this machine. */
export function readMountPoints(proc = '/proc'): Set<string> {
  const points = new Set<string>();
  const namespaces = new Set<string>();
  for (const pid of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
    try {
      const namespace = readlinkSync(join(proc, pid, 'ns/mnt'));
      if (namespaces.has(namespace)) continue;
      for (const point of parseMountPoints(readFileSync(join(proc, pid, 'mountinfo'), 'utf8'))) points.add(point);
      namespaces.add(namespace);
    } catch {
      // It has ended meanwhile.
    }
  }
  return points;
}
