import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import type { CatalogueEntry } from './types.ts';

/**
 * Version of the stored format. Increase it when the format of an entry changes. Readers must then accept both the new
 * and the previous version.
 */
const VERSION = 1;

/** Creates access to the catalogue of models. The operator writes the whole list, and gateways read the whole list. */
export function createCatalogue(link: RedisLink, keys: RedisKeys) {
  const key = keys.catalogue();
  const textOf = (entries: readonly CatalogueEntry[]) => JSON.stringify({ version: VERSION, entries });
  const readText = async () => (await link.send(key, ['GET', key])) as string | null;
  return {
    async replace(entries: readonly CatalogueEntry[]): Promise<void> {
      await link.send(key, ['SET', key, textOf(entries)]);
    },

    /** Returns whether the stored catalogue equals these entries. */
    async holds(entries: readonly CatalogueEntry[]): Promise<boolean> {
      return (await readText()) === textOf(entries);
    },

    /** Returns the models that gateways serve, or undefined if no operator has written a catalogue yet. */
    async read(): Promise<CatalogueEntry[] | undefined> {
      const text = await readText();
      if (text === null) return undefined;
      const { version, entries } = JSON.parse(text) as { version: number; entries: CatalogueEntry[] };
      if (version !== VERSION)
        throw new Error(`the catalogue has version ${version}, but this program reads version ${VERSION}: update it`);
      return entries;
    },
  };
}
