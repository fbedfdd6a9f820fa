import { ApiError, AUDIO } from '@svc-asr/core';
import type { ContextSize } from '@svc-asr/core';
import type { CatalogueEntry, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from './repeat.ts';

/** Last known list of models. It stays available while Redis is unavailable. */
export interface CatalogueView {
  /** Returns the models. Undefined until the catalogue was read once. */
  entries: () => readonly CatalogueEntry[] | undefined;
  /**
   * Returns the contexts that a model supports. Returns only the default context if no worker has reported them yet.
   */
  contextsOf: (model: string) => readonly ContextSize[];
  /**
   * Reads the contexts of a model again if no worker had reported them at the last read. If Redis is unavailable, the
   * model keeps the default context.
   */
  refreshContexts: (model: string) => Promise<void>;
  /** Returns whether a model exists. Throws 503 until the catalogue was read once, because the model may exist. */
  has: (model: string) => boolean;
  stop: () => void;
}

/** Polling interval until the first successful read. Until then, requests for a model cannot be answered. */
const FIRST_INTERVAL_MS = 50;
/** Time after which the contexts of a model are read again. They change only when its workers change. */
const CONTEXTS_MS = 5_000;
/** Number of models whose contexts are read in parallel. */
const CONTEXTS_AT_ONCE = 32;

/** Starts to read the catalogue at intervals. */
export function followCatalogue(ledger: Ledger, logger: Logger, intervalMs: number): CatalogueView {
  let entries: readonly CatalogueEntry[] | undefined;
  let ids = new Set<string>();
  const contexts = new Map<string, { readAtMs: number; list: readonly ContextSize[] }>();
  const nextMs = () => (entries === undefined ? Math.min(intervalMs, FIRST_INTERVAL_MS) : intervalMs);
  const stop = repeat(logger, nextMs, async () => {
    const read = await ledger.catalogue.read();
    if (read === undefined) return;
    if (entries === undefined) logger.info({ amount: read.length }, 'the catalogue was read for the first time');
    entries = read;
    ids = new Set(read.map(({ id }) => id));
    for (const id of contexts.keys()) if (!ids.has(id)) contexts.delete(id);
    await readContexts();
  });
  const readContexts = async () => {
    const nowMs = performance.now();
    const due = [...ids].filter((id) => nowMs - (contexts.get(id)?.readAtMs ?? -Infinity) >= CONTEXTS_MS);
    for (let from = 0; from < due.length; from += CONTEXTS_AT_ONCE) {
      const some = due.slice(from, from + CONTEXTS_AT_ONCE);
      const lists = await Promise.all(some.map((id) => ledger.pools.contexts(id)));
      for (const [at, id] of some.entries()) contexts.set(id, { readAtMs: nowMs, list: lists[at] ?? [] });
    }
  };
  const refreshContexts = async (model: string) => {
    const known = contexts.get(model);
    if (known === undefined || known.list.length > 0) return;
    const list = await ledger.pools.contexts(model).catch(() => []);
    if (list.length > 0) contexts.set(model, { readAtMs: performance.now(), list });
  };
  const has = (model: string) => {
    if (entries === undefined)
      throw new ApiError('service_unavailable', { message: 'The list of models is not available yet.' });
    return ids.has(model);
  };
  const contextsOf = (model: string): readonly ContextSize[] => {
    const known = contexts.get(model)?.list ?? [];
    return known.length > 0 ? known : [[...AUDIO.defaultContext]];
  };
  return { entries: () => entries, contextsOf, refreshContexts, has, stop };
}
