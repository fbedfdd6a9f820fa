import type { Ledger } from '@svc-asr/ledger';

/** Number of keys and used memory of a Redis. */
export interface Usage {
  keys: number;
  bytes: number;
}

/** Reads the number of keys and the used memory of Redis. */
export async function readUsage(ledger: Ledger): Promise<Usage> {
  const info = String(await ledger.link.send('', ['INFO', 'memory']));
  return {
    keys: Number(await ledger.link.send('', ['DBSIZE'])),
    bytes: Number(/used_memory:(\d+)/.exec(info)?.[1]),
  };
}

/** Returns the total memory of the keys `BASE:PART`, for all given bases. A key that does not exist takes no memory. */
export async function memoryOfKeys(ledger: Ledger, bases: readonly string[], part: string): Promise<number> {
  const sizes = bases.map((base) => `${base}:${part}`);
  const replies = sizes.map((key) => ledger.link.send(key, ['MEMORY', 'USAGE', key, 'SAMPLES', '0']));
  return (await Promise.all(replies)).reduce<number>((sum, size) => sum + Number(size ?? 0), 0);
}
