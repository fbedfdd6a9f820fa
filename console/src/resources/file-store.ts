import type { Resource, ResourceOf } from '@svc-asr/core';
import { prepareFolder, removeDurably, writeDurably } from '@svc-asr/runtime';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { isMemberFor } from './user-label.ts';
import { createKeyedMutex } from './keyed-mutex.ts';
import { createSnapshotReader, fileOf, findEntry, findOwnedEntry, isDamagedKey } from './snapshot.ts';
import type { Entry } from './snapshot.ts';
import type { ConsoleKind, ResourceStore, Stored } from './store.ts';

export interface FileStoreOptions {
  /** Folder that the console writes to. */
  folder: string;
  /** Folders that are read and never written. If a resource is defined twice, these definitions have precedence. */
  readFolders: readonly string[];
  now: () => number;
}

/**
 * Stores resources as YAML files, one resource per file. No other process of the service writes to the folder. The
 * operator watches it.
 */
export async function openFileStore(options: FileStoreOptions): Promise<ResourceStore> {
  const folder = resolve(options.folder);
  const readSnapshot = createSnapshotReader(folder, options.readFolders);
  const mutex = createKeyedMutex();
  /** Writes of all resources run one after the other, because each write reads the whole folder first. */
  const inTurn = <T>(task: () => Promise<T>) => mutex(folder, task);
  await prepareFolder(folder);

  async function list<K extends ConsoleKind>(kind: K): Promise<Stored<K>[]> {
    const entries = [...(await readSnapshot()).entries.values()].filter(({ resource }) => resource.kind === kind);
    return entries.map((entry) => stored<K>(entry));
  }

  return {
    unreadable: async () => [...(await readSnapshot()).problems].map(([file, problem]) => ({ file, problem })),
    list,
    // A lookup reads all files, so keys are found by `spec.tenant`. No key needs a label with its tenant.
    labelledKeys: async (tenant) => (await list('ApiKey')).filter(({ resource }) => resource.spec.tenant === tenant),
    unlabelledKeys: () => Promise.resolve([]),
    membersOf: async (tenant) => (await list('Member')).filter(({ resource }) => resource.spec.tenant === tenant),
    membershipsOf: async (user) => (await list('Member')).filter(({ resource }) => isMemberFor(resource, user)),
    traces: async (tenant) => {
      const { entries, problems } = await readSnapshot();
      const namesOf = (kind: 'ApiKey' | 'Member') =>
        [...entries.values()].flatMap(({ resource }) =>
          resource.kind === kind && resource.spec.tenant === tenant ? [resource.metadata.name] : [],
        );
      return {
        tenants: entries.has(`Tenant/${tenant}`) ? 1 : 0,
        keyNames: namesOf('ApiKey'),
        memberNames: namesOf('Member'),
        unreadable: [...problems].map(([file, problem]) => ({ file, problem })),
      };
    },
    get: async <K extends ConsoleKind>(kind: K, name: string) => {
      const entry = findEntry(await readSnapshot(), kind, name, fileOf(folder, kind, name));
      return entry === undefined ? undefined : stored<K>(entry);
    },
    update: <K extends ConsoleKind>(
      kind: K,
      name: string,
      change: (current: ResourceOf<K> | undefined) => ResourceOf<K>,
    ) =>
      inTurn(async () => {
        const file = fileOf(folder, kind, name);
        const entry = findOwnedEntry(await readSnapshot(), kind, name, file);
        const previous = entry?.resource as ResourceOf<K> | undefined;
        const changed = change(structuredClone(previous));
        if (previous === undefined) changed.metadata.creationTimestamp = new Date(options.now()).toISOString();
        await writeDurably(file, textOf(changed));
        return { resource: changed, previous };
      }),
    delete: (kind, name, check) =>
      inTurn(async () => {
        const file = fileOf(folder, kind, name);
        const snapshot = await readSnapshot();
        const isDamaged = kind === 'ApiKey' && isDamagedKey(snapshot, name, file);
        const entry = isDamaged ? undefined : findOwnedEntry(snapshot, kind, name, file);
        if (!isDamaged && entry === undefined) return false;
        if (entry !== undefined) check?.(stored<typeof kind>(entry).resource);
        await removeDurably(file);
        return true;
      }),
  };
}

function stored<K extends ConsoleKind>({ resource, file, owned }: Entry): Stored<K> {
  return { resource: structuredClone(resource as ResourceOf<K>), readOnlyIn: owned ? undefined : file };
}

function textOf(resource: Resource): string {
  return `# Written by the svc-asr console; a change by hand is applied too, comments are not kept.\n${stringify(resource, { lineWidth: 0 })}`;
}
