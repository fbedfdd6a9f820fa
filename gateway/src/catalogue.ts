import type { CatalogueEntry, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from './repeat.ts';

/** The models as this gateway knows them; when Redis is away, as it knew them last. */
export interface CatalogueView {
  /** undefined: never read. */
  entries: () => readonly CatalogueEntry[] | undefined;
  has: (model: string) => boolean;
  stop: () => void;
}

/** Reads the catalogue again and again. */
export function followCatalogue(ledger: Ledger, logger: Logger, intervalMs: number): CatalogueView {
  let entries: readonly CatalogueEntry[] | undefined;
  let ids = new Set<string>();
  const stop = repeat(logger, intervalMs, async () => {
    const read = await ledger.catalogue.read();
    if (read === undefined) return;
    if (entries === undefined) logger.info({ amount: read.length }, 'the catalogue is known');
    entries = read;
    ids = new Set(read.map(({ id }) => id));
  });
  return { entries: () => entries, has: (model) => ids.has(model), stop };
}
