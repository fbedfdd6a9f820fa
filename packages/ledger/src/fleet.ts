import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields, numbers } from './replies.ts';
import type { FleetGateway, FleetPool, FleetWorker } from './pool-types.ts';

/**
 * Creates the functions that read gateways and pools for display. They write nothing, so that a Redis user without the
 * right to write can call them. Processes whose lease has expired are omitted.
 */
export function createFleet(link: RedisLink, keys: RedisKeys) {
  async function readTimeMs(key: string): Promise<number> {
    const [seconds = 0, microseconds = 0] = numbers(await link.send(key, ['TIME']));
    return seconds * 1000 + Math.floor(microseconds / 1000);
  }

  /** Returns the ids of the processes whose lease in this set is valid, each with the expiry of its lease. */
  async function readLeases(key: string): Promise<[id: string, untilMs: number][]> {
    const nowMs = await readTimeMs(key);
    const reply = await link.send(key, ['ZRANGE', key, String(nowMs), '+inf', 'BYSCORE', 'WITHSCORES']);
    return [...fields(reply)].map(([id, until]) => [id, Number(until)]);
  }

  async function readWorker(base: string, id: string): Promise<FleetWorker> {
    const key = `${base}w:${id}`;
    const worker = fields(await link.send(key, ['HGETALL', key]));
    const text = (name: string) => worker.get(name) ?? '';
    return {
      id,
      revision: text('revision'),
      slots: Number(text('slots')),
      active: Number(text('active')),
      draining: text('draining') === '1',
      device: text('device') === '' ? null : text('device'),
      tier: text('tier') === '' ? null : text('tier'),
    };
  }

  return {
    /** Returns the gateway processes, sorted by id. */
    async gateways(): Promise<FleetGateway[]> {
      const key = keys.gateways();
      const [leases, free] = await Promise.all([readLeases(key), link.send(`${key}:free`, ['HGETALL', `${key}:free`])]);
      const freeStreams = fields(free);
      const gateways = leases.map(async ([id, leaseUntilMs]) => {
        const owned = keys.owned(id);
        const streams = Number(await link.send(owned, ['SCARD', owned]));
        const free = freeStreams.get(id);
        return { id, streams, freeStreams: free === undefined ? null : Number(free), leaseUntilMs };
      });
      return (await Promise.all(gateways)).sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    /** Returns the pool of a model. */
    async pool(model: string): Promise<FleetPool> {
      const pool = keys.pool(model);
      const base = pool.slice(0, -1);
      const count = async (name: string, command: string, ...args: string[]) =>
        Number(await link.send(`${base}${name}`, [command, `${base}${name}`, ...args]));
      const nowMs = String(await readTimeMs(pool));
      const [leases, active, held, waiting, refused, weights] = await Promise.all([
        readLeases(`${base}wl`),
        count('a', 'HLEN'),
        count('h', 'ZCOUNT', nowMs, '+inf'),
        count('qs', 'ZCARD'),
        count('r', 'ZCOUNT', nowMs, '+inf'),
        link.send(pool, ['HGET', pool, 'weights']),
      ]);
      const workers = await Promise.all(leases.map(([id]) => readWorker(base, id)));
      workers.sort((a, b) => (a.id < b.id ? -1 : 1));
      const slots = workers.reduce((sum, worker) => sum + (worker.draining ? 0 : worker.slots), 0);
      return { workers, slots, active, held, waiting, refused, shares: readShares(weights as string | null) };
    },
  };
}

/** Parses the shares of revisions, which are stored as `REVISION PERCENT …`. */
function readShares(text: string | null): FleetPool['shares'] {
  const words = (text ?? '').split(' ').filter((word) => word !== '');
  return words.flatMap((revision, at) => (at % 2 === 0 ? [{ revision, percent: Number(words[at + 1]) }] : []));
}
