import { resourceKey } from '@svc-asr/core';
import type { Resource, ResourceOf } from '@svc-asr/core';
import { prepareFolder, removeDurably, writeDurably } from '@svc-asr/runtime';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { ConsoleError } from '../errors.ts';
import { createFolderReader } from './folder.ts';
import type { ConsoleKind, ResourceStore, Stored } from './store.ts';
import { createKeyedMutex } from './keyed-mutex.ts';

export interface FileStoreOptions {
  /** Folder that the console writes to. */
  folder: string;
  /** Folders that are read and never written. If a resource is defined twice, these definitions have precedence. */
  readFolders: readonly string[];
  now: () => number;
}

interface Entry {
  resource: Resource;
  file: string;
  owned: boolean;
}

interface Snapshot {
  entries: Map<string, Entry>;
  /** Problems of damaged files, by path. */
  problems: Map<string, string>;
}

/** Names of files that the console writes. Each contains a resource, so an empty one is damaged. */
const OWN_FILE = /^(tenant|apikey)-.+\.yaml$/;

/**
 * Stores resources as YAML files, one resource per file. Only this process writes to the folder, and the operator
 * watches it.
 */
export async function openFileStore(options: FileStoreOptions): Promise<ResourceStore> {
  const folder = resolve(options.folder);
  const folders = [...new Set([...options.readFolders.map((name) => resolve(name)), folder])];
  const readFolder = createFolderReader();
  await prepareFolder(folder);
  const fileOf = (kind: ConsoleKind, name: string) => join(folder, `${kind.toLowerCase()}-${name}.yaml`);

  async function snapshot(): Promise<Snapshot> {
    const entries = new Map<string, Entry>();
    const problems = new Map<string, string>();
    for (const { file, resources, problem } of (await Promise.all(folders.map(readFolder))).flat()) {
      const empty = resources.length === 0 && dirname(file) === folder && OWN_FILE.test(basename(file));
      if (problem !== undefined) problems.set(file, problem);
      else if (empty) problems.set(file, 'it contains no resource');
      for (const resource of resources) {
        const key = resourceKey(resource);
        if (entries.has(key) || resource.kind === 'ASRModel') continue;
        const owned = file === fileOf(resource.kind, resource.metadata.name) && resources.length === 1;
        entries.set(key, { resource, file, owned });
      }
    }
    return { entries, problems };
  }

  async function find(kind: ConsoleKind, name: string): Promise<Entry | undefined> {
    const { entries, problems } = await snapshot();
    const entry = entries.get(`${kind}/${name}`);
    if (entry !== undefined) return entry;
    const file = fileOf(kind, name);
    const problem = problems.get(file);
    if (problem === undefined) return undefined;
    throw new ConsoleError('unreadable_resource', { message: `Repair or delete the file ${file}: ${problem}.` });
  }

  async function findOwned(kind: ConsoleKind, name: string): Promise<Entry | undefined> {
    const entry = await find(kind, name);
    if (entry === undefined || entry.owned) return entry;
    throw new ConsoleError('read_only_resource', {
      message: `${kind}/${name} is defined in ${entry.file}, which the console must not write. Change that file.`,
    });
  }

  /** Returns the file of a damaged key. Its name shows that it can only contain a key. */
  async function findDamagedKey(name: string): Promise<string | undefined> {
    const { entries, problems } = await snapshot();
    const file = fileOf('ApiKey', name);
    // A name with a slash would address another file.
    const isKey = !entries.has(`ApiKey/${name}`) && !name.includes('/') && problems.has(file);
    return isKey && ![...entries.values()].some((entry) => entry.file === file) ? file : undefined;
  }

  const mutex = createKeyedMutex();
  /** Writes of all resources run one after the other, because each reads the whole folder. */
  const inTurn = <T>(task: () => Promise<T>) => mutex(folder, task);
  return {
    unreadable: async () => [...(await snapshot()).problems].map(([file, problem]) => ({ file, problem })),
    list: async <K extends ConsoleKind>(kind: K) => {
      const entries = [...(await snapshot()).entries.values()].filter(({ resource }) => resource.kind === kind);
      return entries.map((entry) => stored<K>(entry));
    },
    get: async <K extends ConsoleKind>(kind: K, name: string) => {
      const entry = await find(kind, name);
      return entry === undefined ? undefined : stored<K>(entry);
    },
    update: <K extends ConsoleKind>(
      kind: K,
      name: string,
      change: (current: ResourceOf<K> | undefined) => ResourceOf<K>,
    ) =>
      inTurn(async () => {
        const previous = (await findOwned(kind, name))?.resource as ResourceOf<K> | undefined;
        const changed = change(structuredClone(previous));
        if (previous === undefined) changed.metadata.creationTimestamp = new Date(options.now()).toISOString();
        await writeDurably(fileOf(kind, name), textOf(changed));
        return { resource: changed, previous };
      }),
    delete: (kind, name) =>
      inTurn(async () => {
        const damaged = kind === 'ApiKey' ? await findDamagedKey(name) : undefined;
        const file = damaged ?? (await findOwned(kind, name))?.file;
        if (file !== undefined) await removeDurably(file);
        return file !== undefined;
      }),
  };
}

function stored<K extends ConsoleKind>({ resource, file, owned }: Entry): Stored<K> {
  return { resource: structuredClone(resource as ResourceOf<K>), readOnlyIn: owned ? undefined : file };
}

function textOf(resource: Resource): string {
  return `# Written by the svc-asr console; a change by hand is applied too, comments are not kept.\n${stringify(resource, { lineWidth: 0 })}`;
}
