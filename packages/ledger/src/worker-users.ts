import { createHash } from 'node:crypto';
import type { RedisNode } from './redis/link.ts';

/**
 * Commands of a worker: those that connect it, and those that the functions call, because Redis checks the rights of
 * the caller. Lists the same commands as worker.acl of the chart.
 */
const COMMANDS = [
  ...['auth', 'hello', 'ping', 'client|setname', 'cluster|slots', 'cluster|shards', 'cluster|nodes', 'asking', 'fcall'],
  ...['del', 'exists', 'get', 'hdel', 'hget', 'hincrby', 'hmget', 'hset', 'set', 'time'],
  ...['lindex', 'lpop', 'lrem', 'rpush', 'sadd', 'scard', 'smembers', 'srem', 'spublish'],
  ...['zadd', 'zincrby', 'zrange', 'zrangebyscore', 'zrem', 'zrevrange', 'zscore'],
] as const;

/** Returns the name of the Redis user of a model's workers. No two pairs of prefix and model have the same. */
export function workerUserOf(prefix: string, model: string): string {
  return `worker:${prefix}:${model}`;
}

/**
 * Returns the rights of the workers of a model, as words of an ACL rule. They include only the keys of its pool, and
 * the channels on which gateways are notified about it.
 */
export function buildWorkerRights(prefix: string, model: string): string[] {
  const pool = escapePattern(`${prefix}:{m:${model}}:`);
  return [`~${pool}*`, `&${pool}n:*`, ...COMMANDS.map((command) => `+${command}`)];
}

/**
 * Creates or replaces the user of a model's workers on each server. Connections of the user stay open. Redis does not
 * copy users to replicas, and forgets them when it restarts.
 */
export async function setWorkerUser(
  servers: readonly RedisNode[],
  user: { prefix: string; model: string; password: string },
): Promise<void> {
  const { prefix, model, password } = user;
  const hash = createHash('sha256').update(password).digest('hex');
  const rule = ['reset', 'on', `#${hash}`, 'resetchannels', ...buildWorkerRights(prefix, model)];
  await sendToAll(servers, ['ACL', 'SETUSER', workerUserOf(prefix, model), ...rule]);
}

/** Deletes the user of a model's workers on each server, and closes its connections. */
export async function deleteWorkerUser(
  servers: readonly RedisNode[],
  { prefix, model }: { prefix: string; model: string },
): Promise<void> {
  await sendToAll(servers, ['ACL', 'DELUSER', workerUserOf(prefix, model)]);
}

async function sendToAll(servers: readonly RedisNode[], command: readonly string[]): Promise<void> {
  await Promise.all(servers.map((server) => server.send(command)));
}

/** Escapes the characters that have a meaning in a key pattern of Redis. */
function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]^]/g, String.raw`\$&`);
}
