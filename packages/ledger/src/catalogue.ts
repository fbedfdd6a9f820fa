import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import type { CatalogueEntry } from './types.ts';

/** Raised when the form of an entry changes; from then on a reader must take its own version and the one before. */
const VERSION = 1;

/** The models as gateways serve them: written whole by the operator, read whole by gateways. */
export function createCatalogue(link: RedisLink, keys: RedisKeys) {
  const key = keys.catalogue();
  const textOf = (entries: readonly CatalogueEntry[]) => JSON.stringify({ version: VERSION, entries });
  const readText = async () => (await link.send(key, ['GET', key])) as string | null;
  return {
    async replace(entries: readonly CatalogueEntry[]): Promise<void> {
      await link.send(key, ['SET', key, textOf(entries)]);
    },

    /** Whether these entries are what is written, to the letter. */
    async holds(entries: readonly CatalogueEntry[]): Promise<boolean> {
      return (await readText()) === textOf(entries);
    },

    /** undefined: no operator has written one yet. */
    async read(): Promise<CatalogueEntry[] | undefined> {
      const text = await readText();
      if (text === null) return undefined;
      const { version, entries } = JSON.parse(text) as { version: number; entries: CatalogueEntry[] };
      if (version !== VERSION)
        throw new Error(`the catalogue has version ${version}, which this program does not read`);
      return entries;
    },
  };
}
