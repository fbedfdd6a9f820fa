import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseResources } from './parse.ts';
import type { ParsedFile } from './parse.ts';

export interface ResourceFile extends ParsedFile {
  readonly file: string;
}

export type FolderReader = (folder: string) => Promise<ResourceFile[]>;

/**
 * Creates a function that reads the YAML and JSON files of a folder in the order of their names. A file is parsed again
 * only after it has changed.
 */
export function createFolderReader(): FolderReader {
  const cache = new Map<string, { version: string; parsed: ParsedFile }>();

  async function read(file: string): Promise<ResourceFile | undefined> {
    try {
      const { ino, mtimeNs, ctimeNs, size } = await stat(file, { bigint: true });
      const version = [ino, mtimeNs, ctimeNs, size].join(' ');
      let entry = cache.get(file);
      if (entry?.version !== version) {
        entry = { version, parsed: parseResources(await readFile(file, 'utf8')) };
        cache.set(file, entry);
      }
      return { file, ...entry.parsed };
    } catch (error) {
      cache.delete(file);
      if (isMissing(error)) return undefined;
      // A file that cannot be read must not hide the others.
      return { file, resources: [], problem: error instanceof Error ? error.message : String(error) };
    }
  }

  return async (folder) => {
    const names = await namesIn(folder);
    const files = await Promise.all(names.map((name) => read(join(folder, name))));
    return files.filter((file) => file !== undefined);
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^[^.].*\.(ya?ml|json)$/.test(name)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
