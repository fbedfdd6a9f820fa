import { ApiError } from '@svc-asr/core';
import type { CatalogueEntry, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from './repeat.ts';

/** Last known list of models. It stays available while Redis is not. */
export interface CatalogueView {
  /** Undefined until the catalogue was read once. */
  entries: () => readonly CatalogueEntry[] | undefined;
  /** Throws 503 until the catalogue was read once, because a model that is not known yet may exist. */
  has: (model: string) => boolean;
  stop: () => void;
}

/** Polling interval until the first successful read. Requests for a model cannot be answered before. */
const FIRST_INTERVAL_MS = 50;

/** Reads the catalogue regularly. */
export function followCatalogue(ledger: Ledger, logger: Logger, intervalMs: number): CatalogueView {
  let entries: readonly CatalogueEntry[] | undefined;
  let ids = new Set<string>();
  const nextMs = () => (entries === undefined ? Math.min(intervalMs, FIRST_INTERVAL_MS) : intervalMs);
  const stop = repeat(logger, nextMs, async () => {
    const read = await ledger.catalogue.read();
    if (read === undefined) return;
    if (entries === undefined) logger.info({ amount: read.length }, 'the catalogue was read for the first time');
    entries = read;
    ids = new Set(read.map(({ id }) => id));
  });
  const has = (model: string) => {
    if (entries === undefined)
      throw new ApiError('service_unavailable', { message: 'The list of models is not available yet.' });
    return ids.has(model);
  };
  return { entries: () => entries, has, stop };
}
