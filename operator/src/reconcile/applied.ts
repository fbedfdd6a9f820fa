import { RECONCILED_KINDS } from '@svc-asr/core';
import type { ReconciledKind } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';

/**
 * Record of the resources that this operator, or an earlier one, has applied. It is stored in the ledger. A resource is
 * recorded before it is first applied. Its record is removed after its account was closed, its key was revoked or its
 * pool has ended. A deletion is therefore detected even if no operator was running at the time, and completed even if
 * the operator restarts before the end.
 */
export interface Applied {
  /** Returns false until `load` has succeeded once. Call the other functions only after that. */
  loaded: () => boolean;
  load: () => Promise<void>;
  names: (kind: ReconciledKind) => string[];
  /**
   * Returns the note that was stored with the resource when it was applied. Undefined if the resource was not applied.
   */
  note: (kind: ReconciledKind, name: string) => string | undefined;
  add: (kind: ReconciledKind, name: string, note?: string) => Promise<void>;
  forget: (kind: ReconciledKind, name: string) => Promise<void>;
}

export function createApplied(registry: Ledger['registry']): Applied {
  const notes = new Map<ReconciledKind, Map<string, string>>();
  const of = (kind: ReconciledKind): Map<string, string> => {
    const known = notes.get(kind);
    if (known === undefined) throw new Error('the record of applied resources has not been loaded yet');
    return known;
  };
  return {
    loaded: () => notes.size > 0,
    load: async () => {
      const lists = await Promise.all(RECONCILED_KINDS.map((kind) => registry.list(kind)));
      for (const [at, kind] of RECONCILED_KINDS.entries()) {
        // Notes in memory are newer than the list, which may have been read before a concurrent write.
        notes.set(kind, new Map([...(lists[at] ?? []), ...(notes.get(kind) ?? [])]));
      }
    },
    names: (kind) => [...of(kind).keys()],
    note: (kind, name) => of(kind).get(name),
    // Writes the record to Redis even if it is in memory already, because Redis may have lost it.
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
