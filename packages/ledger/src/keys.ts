import { createHash } from 'node:crypto';

/**
 * Builds the names of all Redis keys of the ledger. Keys that a script uses together share a hash tag, so that they are
 * on one node of a Redis Cluster. A script gets one key and derives the others of the same tag by replacing its last
 * letter. scripts/README.md lists the fields of the hashes.
 *
 * | key                     | content                                                                |
 * |-------------------------|------------------------------------------------------------------------|
 * | P:{t:TENANT}:a          | hash: account with state, scope, limits, rates and credit              |
 * | P:{t:TENANT}:s:SESSION  | hash: session                                                          |
 * | P:{t:TENANT}:live       | sorted set: sessions that have not ended, by the time they are overdue |
 * | P:{t:TENANT}:recent     | list: last sessions, newest first; ended ones as a line                |
 * | P:{t:TENANT}:idem:KEY   | string: session that an Idempotency-Key created                        |
 * | P:{t:TENANT}:x:SESSION  | string: tombstone; a late reserve of this session is refused           |
 * | P:{t:TENANT}:g          | hash: grants applied                                                   |
 * | P:{t:TENANT}:j          | stream: journal                                                        |
 * | P:{t:TENANT}:u:PERIOD   | hash: usage by day and model, for 32 days                              |
 * | P:{k:KEYID}:k           | hash: API key                                                          |
 * | P:{m:MODEL}:p, h        | hash: pool of a model; sorted set: holds of sessions, by expiry        |
 * | P:{m:MODEL}:w:ID, wl    | hash: worker; sorted set: workers by lease expiry; also :beat, :late   |
 * | P:{m:MODEL}:free        | sorted set: workers by free slots; free:REVISION for one revision      |
 * | P:{m:MODEL}:a, at       | hash: worker of each stream; sorted set: streams by placement time     |
 * | P:{m:MODEL}:ws:ID       | set: streams of a worker                                               |
 * | P:{m:MODEL}:x:SESSION   | string: tombstone; a late placement of this stream is refused          |
 * | P:{m:MODEL}:rc          | hash: counts of streams by revision                                    |
 * | P:{m:MODEL}:q, q:T, qs  | queue: tenants in order, their sessions, time each asked last          |
 * | P:{o}:gateways          | sorted set: gateway processes by lease expiry; also :epoch, :dead,     |
 * |                         | :beat and :late                                                        |
 * | P:{g:GATEWAY}:s, x      | set: streams that a gateway process owns; string: it was declared dead |
 * | P:{d:SHARD}:due         | sorted set: marks of the reaper, SECOND:TENANT                         |
 * | P:{o}:catalogue         | string: models that gateways serve                                     |
 * | P:{o}:ledger            | string: id of the ledger; also :plan and :rebuild while it is missing  |
 * | P:{o}:registry:KIND     | hash: resources that the operator has applied                          |
 * | P:{o}:tenants           | set: tenants whose journal the operator exports and trims              |
 * | P:{o}:purge             | hash: requests to purge a tenant, and their answers                    |
 */
export function createRedisKeys(prefix: string) {
  return {
    account: (tenant: string) => `${prefix}:{t:${tenant}}:a`,
    journal: (tenant: string) => `${prefix}:{t:${tenant}}:j`,
    live: (tenant: string) => `${prefix}:{t:${tenant}}:live`,
    recent: (tenant: string) => `${prefix}:{t:${tenant}}:recent`,
    session: (tenant: string, id: string) => `${prefix}:{t:${tenant}}:s:${id}`,
    usage: (tenant: string, period: number) => `${prefix}:{t:${tenant}}:u:${period}`,
    /** Usage of a day as earlier versions wrote it. */
    day: (tenant: string, day: number) => `${prefix}:{t:${tenant}}:d:${day}`,
    apiKey: (keyId: string) => `${prefix}:{k:${keyId}}:k`,
    pool: (model: string) => `${prefix}:{m:${model}}:p`,
    revisionCounts: (model: string) => `${prefix}:{m:${model}}:rc`,
    holds: (model: string) => `${prefix}:{m:${model}}:h`,
    gateways: () => `${prefix}:{o}:gateways`,
    owned: (gateway: string) => `${prefix}:{g:${gateway}}:s`,
    declaredDead: (gateway: string) => `${prefix}:{g:${gateway}}:x`,
    due: (shard: number) => `${prefix}:{d:${shard}}:due`,
    catalogue: () => `${prefix}:{o}:catalogue`,
    ledgerId: () => `${prefix}:{o}:ledger`,
    tenants: () => `${prefix}:{o}:tenants`,
    purge: () => `${prefix}:{o}:purge`,
    registry: (kind: string) => `${prefix}:{o}:registry:${kind}`,
  };
}

export type RedisKeys = ReturnType<typeof createRedisKeys>;

/**
 * Number of shards of the reaper's marks. Low enough to poll each shard every tick, high enough to spread them over a
 * cluster.
 */
export const DUE_SHARDS = 16;

/** Returns the shard of a tenant's marks. */
export function dueShard(tenant: string): number {
  return createHash('sha1').update(tenant).digest().readUInt8(0) % DUE_SHARDS;
}
