import { createHash } from 'node:crypto';

/**
 * Builds the names of all Redis keys of the ledger. Keys that a script uses together share a hash tag, so that they are
 * on one node of a Redis Cluster. A script gets one key, and derives the other keys with the same hash tag from it. The
 * script replaces the last letter of this key, or appends a suffix if it got the key of the gateways. docs/redis.md
 * lists the content, lifetime and writers of each key.
 */
export function createRedisKeys(prefix: string) {
  return {
    account: (tenant: string) => `${prefix}:{t:${tenant}}:a`,
    journal: (tenant: string) => `${prefix}:{t:${tenant}}:j`,
    live: (tenant: string) => `${prefix}:{t:${tenant}}:live`,
    modelSessions: (tenant: string, model: string) => `${prefix}:{t:${tenant}}:m:${model}`,
    recent: (tenant: string) => `${prefix}:{t:${tenant}}:recent`,
    refusals: (tenant: string) => `${prefix}:{t:${tenant}}:rf`,
    session: (tenant: string, id: string) => `${prefix}:{t:${tenant}}:s:${id}`,
    usage: (tenant: string, period: number) => `${prefix}:{t:${tenant}}:u:${period}`,
    keyUsage: (tenant: string, period: number) => `${prefix}:{t:${tenant}}:uk:${period}`,
    /** Usage of one day in the format of earlier versions. */
    day: (tenant: string, day: number) => `${prefix}:{t:${tenant}}:d:${day}`,
    apiKey: (keyId: string) => `${prefix}:{k:${keyId}}:k`,
    pool: (model: string) => `${prefix}:{m:${model}}:p`,
    revisionCounts: (model: string) => `${prefix}:{m:${model}}:rc`,
    /** Channel on which a gateway receives the ids of its queued streams that got a worker. */
    placements: (model: string, gateway: string) => `${prefix}:{m:${model}}:n:${gateway}`,
    holds: (model: string) => `${prefix}:{m:${model}}:h`,
    gateways: () => `${prefix}:{o}:gateways`,
    owned: (gateway: string) => `${prefix}:{g:${gateway}}:s`,
    /** Sessions that their tenants have cancelled while this gateway process serves their streams. */
    cancelled: (gateway: string) => `${prefix}:{g:${gateway}}:c`,
    declaredDead: (gateway: string) => `${prefix}:{g:${gateway}}:x`,
    due: (shard: number) => `${prefix}:{d:${shard}}:due`,
    catalogue: () => `${prefix}:{o}:catalogue`,
    ledgerId: () => `${prefix}:{o}:ledger`,
    schema: () => `${prefix}:{o}:ledger:schema`,
    tenants: () => `${prefix}:{o}:tenants`,
    purge: () => `${prefix}:{o}:purge`,
    endedAdminSessions: () => `${prefix}:{o}:admin-sessions:ended`,
    audit: () => `${prefix}:{o}:audit`,
    /** Sessions of a developer at the console. */
    consoleSessions: (user: string) => `${prefix}:{c:${user}}:s`,
    /** Exists for a limited time after a mail about the tenant was sent. */
    mailed: (tenant: string, mail: string) => `${prefix}:{t:${tenant}}:mailed:${mail}`,
    registry: (kind: string) => `${prefix}:{o}:registry:${kind}`,
  };
}

export type RedisKeys = ReturnType<typeof createRedisKeys>;

/**
 * Number of shards of the marks that show the reaper when to check a tenant. It is low enough to poll each shard in
 * every tick, and high enough to spread the shards over the nodes of a cluster.
 */
export const DUE_SHARDS = 16;

/** Returns the shard of a tenant's marks. */
export function dueShard(tenant: string): number {
  return createHash('sha1').update(tenant).digest().readUInt8(0) % DUE_SHARDS;
}
