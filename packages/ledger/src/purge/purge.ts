import type { RedisKeys } from '../keys.ts';
import type { RedisLink } from '../redis/link.ts';
import { createPurgeRequests } from './requests.ts';
import { scanKeys } from './scan.ts';
import { findTraces, TRACE_KINDS } from './traces.ts';
import type { Trace, TraceKind } from './traces.ts';

/** Number of keys and entries of a tenant, by kind. */
export type TraceCounts = Record<TraceKind, number>;

/** Creates the functions that count and remove all data of a tenant in Redis. */
export function createPurge(link: RedisLink, keys: RedisKeys, prefix: string) {
  const start = `${prefix}:`;

  /**
   * Yields each key and entry of a tenant exactly once. Reads every key whose name starts with `family`. By default it
   * reads all keys of the ledger, because there is no index from a tenant to its API keys.
   */
  async function* find(tenant: string, family = ''): AsyncGenerator<readonly Trace[]> {
    const seen = new Set<string>();
    for await (const names of scanKeys(link, `${start}${family}`)) {
      const traces = await Promise.all(names.map((key) => findTraces(link, tenant, key, start)));
      const found = traces.flat().filter((trace) => !seen.has(identityOf(trace)));
      for (const trace of found) seen.add(identityOf(trace));
      if (found.length > 0) yield found;
    }
  }

  return {
    /** Counts the keys and entries of a tenant by a new scan of every node. */
    async count(tenant: string): Promise<TraceCounts> {
      const counts = zero();
      for await (const traces of find(tenant)) for (const { kind } of traces) counts[kind]++;
      return counts;
    },

    /**
     * Counts the records of streams of a tenant that gateways own. Unlike `count`, it does not read keys of accounts,
     * API keys and queues.
     */
    async countStreams(tenant: string): Promise<number> {
      let streams = 0;
      for await (const traces of find(tenant, '{g:')) streams += traces.length;
      return streams;
    },

    /**
     * Removes all keys and entries of a tenant except the records of gateways, and returns their numbers. Audit entries
     * are replaced by entries that do not name the tenant. Safe to repeat after a partial failure. The account must be
     * closed and without streams, so that no other process writes to it.
     */
    async remove(tenant: string): Promise<TraceCounts> {
      const counts = zero();
      for await (const traces of find(tenant)) {
        for (const { kind, key, removal } of traces) {
          for (const command of removal) await link.send(key, command);
          if (removal.length > 0) counts[kind]++;
        }
      }
      return counts;
    },

    requests: createPurgeRequests(link, keys),
  };
}

function identityOf({ key, member = '' }: Trace): string {
  return `${key} ${member}`;
}

function zero(): TraceCounts {
  return Object.fromEntries(TRACE_KINDS.map((kind) => [kind, 0])) as TraceCounts;
}
