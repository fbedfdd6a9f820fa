import { createHash } from 'node:crypto';

/**
 * Every key of the ledger. What belongs together shares a hash tag, so that it lies on one node of a Redis Cluster and
 * no script touches two tags. The scripts build a tenant's further keys from the account's, by cutting its last letter:
 *
 * | key                     | holds                                                                  |
 * |-------------------------|------------------------------------------------------------------------|
 * | P:{t:TENANT}:a          | account: state, scope, limits and how the rates stand, credit          |
 * | P:{t:TENANT}:s:SESSION  | a session                                                              |
 * | P:{t:TENANT}:live       | sessions that have not ended, by the time at which they are overdue    |
 * | P:{t:TENANT}:recent     | the last sessions, newest first; the first 20 are shown                |
 * | P:{t:TENANT}:idem:KEY   | session that an Idempotency-Key made                                   |
 * | P:{t:TENANT}:x:SESSION  | tombstone: a reserve of this session that comes late is refused        |
 * | P:{t:TENANT}:g          | grants that were applied                                               |
 * | P:{t:TENANT}:j, jc      | journal, and where its checkpoints stand                               |
 * | P:{t:TENANT}:d:DAY      | usage of a day (days since 1970) by model                              |
 * | P:{k:KEYID}:k           | an API key: tenant, hash, pepper, expiry                               |
 * | P:{m:MODEL}:p, h        | a model's pool, and the places in it that sessions hold                |
 * | P:{m:MODEL}:w:ID, wl    | its workers, and until when their leases hold                          |
 * | P:{m:MODEL}:free, a     | free slots by worker, :REVISION of one; which worker a stream is on    |
 * | P:{m:MODEL}:rc          | how streams fared on each revision                                     |
 * | P:{m:MODEL}:q, q:T, qs  | the line: tenants in turn, their sessions, when each last asked        |
 * | P:{o}:gateways          | gateway processes, until when their leases hold; :epoch, :dead         |
 * | P:{g:GATEWAY}:s         | the streams that a gateway process holds                               |
 * | P:{d:SHARD}:due         | marks for the reaper: at this second look at this tenant               |
 * | P:{o}:catalogue         | the models, as gateways serve them                                     |
 * | P:{o}:ledger            | the id of the ledger; :plan and :rebuild while it is missing           |
 * | P:{o}:registry:KIND     | resources that the operator has applied                                |
 */
export function createRedisKeys(prefix: string) {
  return {
    account: (tenant: string) => `${prefix}:{t:${tenant}}:a`,
    journal: (tenant: string) => `${prefix}:{t:${tenant}}:j`,
    live: (tenant: string) => `${prefix}:{t:${tenant}}:live`,
    recent: (tenant: string) => `${prefix}:{t:${tenant}}:recent`,
    session: (tenant: string, id: string) => `${prefix}:{t:${tenant}}:s:${id}`,
    day: (tenant: string, day: number) => `${prefix}:{t:${tenant}}:d:${day}`,
    apiKey: (keyId: string) => `${prefix}:{k:${keyId}}:k`,
    pool: (model: string) => `${prefix}:{m:${model}}:p`,
    revisionCounts: (model: string) => `${prefix}:{m:${model}}:rc`,
    holds: (model: string) => `${prefix}:{m:${model}}:h`,
    gateways: () => `${prefix}:{o}:gateways`,
    owned: (gateway: string) => `${prefix}:{g:${gateway}}:s`,
    due: (shard: number) => `${prefix}:{d:${shard}}:due`,
    catalogue: () => `${prefix}:{o}:catalogue`,
    ledgerId: () => `${prefix}:{o}:ledger`,
    registry: (kind: string) => `${prefix}:{o}:registry:${kind}`,
  };
}

export type RedisKeys = ReturnType<typeof createRedisKeys>;

/** Shards of the reaper's marks: few enough to ask each every tick, enough to spread over a cluster. */
export const DUE_SHARDS = 16;

/** The shard that holds a tenant's marks. */
export function dueShard(tenant: string): number {
  return createHash('sha1').update(tenant).digest().readUInt8(0) % DUE_SHARDS;
}
