import { resourceKey } from '@svc-asr/core';
import type { Resource } from '@svc-asr/core';
import { basename, dirname, join, resolve } from 'node:path';
import { ConsoleError } from '../errors.ts';
import { createFolderReader } from './folder.ts';
import type { ConsoleKind } from './store.ts';

/** A resource and the file that defines it. */
export interface Entry {
  resource: Resource;
  file: string;
  /** Whether the console may write the file. */
  owned: boolean;
}

/** Content of the folders at one time. */
export interface Snapshot {
  /** Tenants, API keys and members, by `Kind/name`. */
  entries: Map<string, Entry>;
  /** Problems of damaged files, by path. */
  problems: Map<string, string>;
}

/** Names of files that the console writes. Each contains a resource, so an empty one is damaged. */
const OWN_FILE = /^(tenant|apikey|member)-.+\.yaml$/;

/** Returns the path at which the console writes a resource. */
export function fileOf(folder: string, kind: ConsoleKind, name: string): string {
  return join(folder, `${kind.toLowerCase()}-${name}.yaml`);
}

/**
 * Creates a function that reads the folder of the console, which is an absolute path, and the read-only folders. If a
 * resource is defined twice, the definition in a read-only folder has precedence.
 */
export function createSnapshotReader(folder: string, readFolders: readonly string[]): () => Promise<Snapshot> {
  const folders = [...new Set([...readFolders.map((name) => resolve(name)), folder])];
  const readFolder = createFolderReader();
  return async () => {
    const entries = new Map<string, Entry>();
    const problems = new Map<string, string>();
    for (const { file, resources, problem } of (await Promise.all(folders.map(readFolder))).flat()) {
      const empty = resources.length === 0 && dirname(file) === folder && OWN_FILE.test(basename(file));
      if (problem !== undefined) problems.set(file, problem);
      else if (empty) problems.set(file, 'it contains no resource');
      for (const resource of resources) {
        const key = resourceKey(resource);
        if (entries.has(key) || resource.kind === 'ASRModel') continue;
        const owned = file === fileOf(folder, resource.kind, resource.metadata.name) && resources.length === 1;
        entries.set(key, { resource, file, owned });
      }
    }
    return { entries, problems };
  };
}

/**
 * Returns a resource. If it is not found and `file`, which may contain it, is damaged, throws `unreadable_resource`.
 */
export function findEntry(
  { entries, problems }: Snapshot,
  kind: ConsoleKind,
  name: string,
  file: string,
): Entry | undefined {
  const entry = entries.get(`${kind}/${name}`);
  const problem = problems.get(file);
  if (entry !== undefined || problem === undefined) return entry;
  throw new ConsoleError('unreadable_resource', { message: `Repair or delete the file ${file}: ${problem}.` });
}

/** Returns the same as `findEntry`, but throws `read_only_resource` if the console must not write the resource. */
export function findOwnedEntry(snapshot: Snapshot, kind: ConsoleKind, name: string, file: string): Entry | undefined {
  const entry = findEntry(snapshot, kind, name, file);
  if (entry === undefined || entry.owned) return entry;
  throw new ConsoleError('read_only_resource', {
    message: `${kind}/${name} is defined in ${entry.file}, which the console must not write. Change that file.`,
  });
}

/** Returns whether `file` is the damaged file of the key `name`. False if the file also contains a valid resource. */
export function isDamagedKey({ entries, problems }: Snapshot, name: string, file: string): boolean {
  // A name with a slash would address another file.
  const isKey = !entries.has(`ApiKey/${name}`) && !name.includes('/') && problems.has(file);
  return isKey && ![...entries.values()].some((entry) => entry.file === file);
}
