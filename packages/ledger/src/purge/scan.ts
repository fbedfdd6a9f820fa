import type { RedisLink } from '../redis/link.ts';

/** Number of keys that one SCAN visits. Redis can serve other commands between two SCANs. */
const KEYS_PER_SCAN = '1000';

/** Yields the names of all keys that start with `start`, from every node. A key may be yielded twice. */
export async function* scanKeys(link: RedisLink, start: string): AsyncGenerator<string[]> {
  const pattern = `${start.replace(/[\\*?[\]^]/g, '\\$&')}*`;
  for (const node of await link.nodes()) {
    let cursor = '0';
    do {
      const reply = await node.send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_SCAN]);
      const [next, names] = reply as [string, string[]];
      if (names.length > 0) yield names;
      cursor = next;
    } while (cursor !== '0');
  }
}
