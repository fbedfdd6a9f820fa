import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file as a look at its folder shows it. */
export interface Sighting {
  path: string;
  folder: string;
  /** Differs when the file was written, replaced or touched. */
  stamp: string;
  /** Wall clock. */
  modifiedMs: number;
}

export interface Scan {
  /** In the order of the folders, then of the names. */
  sightings: Sighting[];
  /** Folders that could not be listed, and why: they tell nothing about what they hold. */
  unreadable: Map<string, string>;
}

/** Hidden files are drafts of editors and of those who write by rename. */
const RESOURCE_FILE = /^[^.].*\.(ya?ml|json)$/;
const STATS_AT_ONCE = 64;

/** Looks at the resource files directly in the folders. */
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

/** The stamp of a file as it is now; undefined when there is none. */
export async function stampOf(path: string): Promise<string | undefined> {
  return (await look(path))?.stamp;
}

async function sight(folder: string, name: string): Promise<Sighting | undefined> {
  const path = join(folder, name);
  const seen = await look(path);
  return seen === undefined ? undefined : { path, folder, ...seen };
}

async function look(path: string): Promise<Pick<Sighting, 'stamp' | 'modifiedMs'> | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    const stamp = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':');
    return { stamp, modifiedMs: Number(found.mtimeMs) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    // It is there: reading it will tell what is wrong with it.
    return { stamp: `unknown:${codeOf(error)}`, modifiedMs: 0 };
  }
}

function reasonOf(error: unknown): string {
  return codeOf(error) === 'ENOENT' ? 'it does not exist' : `it cannot be read (${codeOf(error)})`;
}

/** The system's code of a file error, such as ENOENT. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
