import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';

/**
 * Creates the registry of the resources that the operator has applied. After a restart, the operator compares it with
 * the source to find resources that were deleted in the meantime.
 */
export function createRegistry(link: RedisLink, keys: RedisKeys) {
  return {
    async list(kind: string): Promise<Map<string, string>> {
      return fields(await link.send(keys.registry(kind), ['HGETALL', keys.registry(kind)]));
    },
    async put(kind: string, name: string, value: string): Promise<void> {
      await link.send(keys.registry(kind), ['HSET', keys.registry(kind), name, value]);
    },
    async remove(kind: string, name: string): Promise<void> {
      await link.send(keys.registry(kind), ['HDEL', keys.registry(kind), name]);
    },
  };
}
