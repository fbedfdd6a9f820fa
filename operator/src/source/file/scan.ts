import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file as found by a scan. */
export interface Sighting {
  path: string;
  folder: string;
  /** Changes when the file is written, replaced or touched. */
  stamp: string;
  /** Time of the last modification, by the wall clock. */
  modifiedMs: number;
}

export interface Scan {
  /** Files in the order of the folders, and sorted by name within each folder. */
  sightings: Sighting[];
  /** Folders that could not be listed, with the reason. Their content is unknown. */
  unreadable: Map<string, string>;
}

/** Hidden files are excluded, because many are temporary files of editors and of programs that write by rename. */
const RESOURCE_FILE = /^[^.].*\.(ya?ml|json)$/;
const STATS_AT_ONCE = 64;

/** Lists the resource files of the folders, without those of subfolders. */
export async function scanFolders(folders: readonly string[]): Promise<Scan> {
  const scan: Scan = { sightings: [], unreadable: new Map() };
  for (const folder of folders) {
    try {
      const names = (await readdir(folder)).filter((name) => RESOURCE_FILE.test(name)).sort();
      for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
        const some = await Promise.all(names.slice(at, at + STATS_AT_ONCE).map((name) => sight(folder, name)));
        scan.sightings.push(...some.filter((sighting) => sighting !== undefined));
      }
    } catch (error) {
      scan.unreadable.set(folder, reasonOf(error));
    }
  }
  return scan;
}

/** Returns the current stamp of a file. Undefined if it does not exist. */
export async function stampOf(path: string): Promise<string | undefined> {
  return (await readStat(path))?.stamp;
}

async function sight(folder: string, name: string): Promise<Sighting | undefined> {
  const path = join(folder, name);
  const seen = await readStat(path);
  return seen === undefined ? undefined : { path, folder, ...seen };
}

async function readStat(path: string): Promise<Pick<Sighting, 'stamp' | 'modifiedMs'> | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    const stamp = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':');
    return { stamp, modifiedMs: Number(found.mtimeMs) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    // The file exists, so reading it will report the problem.
    return { stamp: `unknown:${codeOf(error)}`, modifiedMs: 0 };
  }
}

function reasonOf(error: unknown): string {
  return codeOf(error) === 'ENOENT' ? 'it does not exist' : `it cannot be read (${codeOf(error)})`;
}

/** Returns the code of a file error, such as ENOENT. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
