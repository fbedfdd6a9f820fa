import type { RedisLink } from '../redis/link.ts';

const READERS: Readonly<Record<string, (key: string) => string[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Returns every key of every node with its whole content, one line of text per key. It works for any data in Redis. */
export async function dumpRedis(link: RedisLink): Promise<string[]> {
  const lines: string[] = [];
  for (const node of await link.nodes()) {
    for (const key of (await node.send(['KEYS', '*'])) as string[]) {
      const type = String(await link.send(key, ['TYPE', key]));
      const read = READERS[type];
      lines.push(`${key} ${JSON.stringify(read === undefined ? type : await link.send(key, read(key)))}`);
    }
  }
  return lines;
}
