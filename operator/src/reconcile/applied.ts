import { KINDS } from '@svc-asr/core';
import type { Kind } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';

/**
 * What this operator, or one before it, has applied, kept beside the ledger: a resource is noted before it is applied
 * for the first time and forgotten after the last trace of it is removed, so a deletion is noticed and finished however
 * often the operator is stopped in the middle, or while it is down.
 */
export interface Applied {
  /** False until `load` has succeeded once; the rest must not be asked before. */
  loaded: () => boolean;
  load: () => Promise<void>;
  names: (kind: Kind) => string[];
  /** What was noted with the resource; undefined when it has not been applied. */
  note: (kind: Kind, name: string) => string | undefined;
  add: (kind: Kind, name: string, note?: string) => Promise<void>;
  forget: (kind: Kind, name: string) => Promise<void>;
}

/** Makes the memory of what is applied. */
export function createApplied(registry: Ledger['registry']): Applied {
  const notes = new Map<Kind, Map<string, string>>();
  const of = (kind: Kind): Map<string, string> => {
    const known = notes.get(kind);
    if (known === undefined) throw new Error('what is applied has not been loaded yet');
    return known;
  };
  return {
    loaded: () => notes.size > 0,
    load: async () => {
      const lists = await Promise.all(KINDS.map((kind) => registry.list(kind)));
      for (const [at, kind] of KINDS.entries()) {
        // What is in memory is newer than the list, which may have been read before a note beside it was written.
        notes.set(kind, new Map([...(lists[at] ?? []), ...(notes.get(kind) ?? [])]));
      }
    },
    names: (kind) => [...of(kind).keys()],
    note: (kind, name) => of(kind).get(name),
    // Written also when it is in memory: Redis may have lost it.
    add: async (kind, name, note = '') => {
      await registry.put(kind, name, note);
      of(kind).set(name, note);
    },
    forget: async (kind, name) => {
      await registry.remove(kind, name);
      of(kind).delete(name);
    },
  };
}
