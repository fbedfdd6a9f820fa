import { ApiError } from '@svc-asr/core';
import type { CatalogueEntry, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from './repeat.ts';

/** The models as this gateway knows them; when Redis is away, as it knew them last. */
export interface CatalogueView {
  /** undefined: never read. */
  entries: () => readonly CatalogueEntry[] | undefined;
  /** Throws when no catalogue is known: that a model does not exist can only be said of a known one. */
  has: (model: string) => boolean;
  stop: () => void;
}

/** How often it is asked for until it is known: without it nothing can be answered. */
const FIRST_INTERVAL_MS = 50;

/** Reads the catalogue again and again. */
export function followCatalogue(ledger: Ledger, logger: Logger, intervalMs: number): CatalogueView {
  let entries: readonly CatalogueEntry[] | undefined;
  let ids = new Set<string>();
  const nextMs = () => (entries === undefined ? Math.min(intervalMs, FIRST_INTERVAL_MS) : intervalMs);
  const stop = repeat(logger, nextMs, async () => {
    const read = await ledger.catalogue.read();
    if (read === undefined) return;
    if (entries === undefined) logger.info({ amount: read.length }, 'the catalogue is known');
    entries = read;
    ids = new Set(read.map(({ id }) => id));
  });
  const has = (model: string) => {
    if (entries === undefined) throw new ApiError('service_unavailable', { message: 'The models are not known yet.' });
    return ids.has(model);
  };
  return { entries: () => entries, has, stop };
}
