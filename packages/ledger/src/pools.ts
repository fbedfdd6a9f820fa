import type { Keys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';

const CLAIM = loadScript('claim');

/** Places for sessions in a model's pool of workers. */
export function createPools(link: RedisLink, keys: Keys) {
  return {
    /** Says whether a pool can still grow, and how many sessions its workers take now. */
    async configure(model: string, pool: { canGrow: boolean; slots: number }): Promise<void> {
      const key = keys.pool(model);
      await link.send(key, ['HSET', key, 'grow', pool.canGrow ? '1' : '0', 'slots', String(pool.slots)]);
    },

    async remove(model: string): Promise<void> {
      await link.send(keys.pool(model), ['DEL', keys.pool(model), keys.holds(model)]);
    },

    /** Holds a place for a session; false when every one is taken and the pool cannot grow. */
    async claim(model: string, sessionId: string, holdMs: number): Promise<boolean> {
      return (await link.run(CLAIM, keys.pool(model), [sessionId, holdMs])) === 1;
    },

    async release(model: string, sessionId: string): Promise<void> {
      await link.send(keys.holds(model), ['ZREM', keys.holds(model), sessionId]);
    },
  };
}
