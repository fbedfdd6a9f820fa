import { DUE_SHARDS } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';

/** Memory of one Redis node. */
export interface RedisMemory {
  usedBytes: number;
  /** `maxmemory`. 0 if there is no limit. */
  limitBytes: number;
  /** `maxmemory-policy`, the eviction policy. */
  policy: string;
}

/** Creates the function that reads the memory of Redis. */
export function createMemory(link: RedisLink, keys: RedisKeys) {
  return {
    /**
     * Returns the memory of each node that stores a key of the reaper, once per node. A large cluster may have nodes
     * without such a key.
     */
    async read(): Promise<RedisMemory[]> {
      const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => keys.due(shard));
      const replies = await Promise.all(shards.map((key) => link.send(key, ['INFO', 'server', 'memory'])));
      const nodes = replies.map((reply) => readInfo(String(reply)));
      return [...new Map(nodes.map(({ runId, ...memory }) => [runId, memory])).values()];
    },
  };
}

/** Parses the reply of INFO. */
function readInfo(info: string): RedisMemory & { runId: string } {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  return {
    runId: field('run_id'),
    usedBytes: Number(field('used_memory')),
    limitBytes: Number(field('maxmemory')),
    policy: field('maxmemory_policy'),
  };
}
