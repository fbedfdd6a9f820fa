export const OLDEST_REDIS_MAJOR = 7;

/** A server program that speaks the Redis protocol. */
export interface RedisServer {
  path: string;
  version: string;
}

/** Reads the version from what `redis-server --version` or `valkey-server --version` prints. */
export function parseServerVersion(output: string): string | undefined {
  return /\bv=(\d+\.\d+\.\d+)/.exec(output)?.[1];
}

/** Returns the first server that is new enough. */
export function chooseServer(found: readonly RedisServer[]): RedisServer | undefined {
  return found.find(({ version }) => Number(version.split('.')[0]) >= OLDEST_REDIS_MAJOR);
}
