import { createHash } from 'node:crypto';
import type { RedisNode } from './redis/link.ts';

/**
 * Commands that the Redis user of a worker may send. They are the commands that a connection needs, and those that the
 * functions run, because Redis checks the rights of the caller of a function. worker.acl of the chart lists the same
 * commands.
 */
const COMMANDS = [
  ...['auth', 'hello', 'ping', 'client|setname', 'cluster|slots', 'cluster|shards', 'cluster|nodes', 'asking', 'fcall'],
  ...['del', 'exists', 'get', 'hdel', 'hget', 'hincrby', 'hmget', 'hset', 'set', 'time'],
  ...['lindex', 'lpop', 'lrem', 'rpush', 'sadd', 'scard', 'smembers', 'srem', 'spublish'],
  ...['zadd', 'zincrby', 'zrange', 'zrangebyscore', 'zrem', 'zrevrange', 'zscore'],
] as const;

/** Returns the name of the Redis user of a model's workers. It is unique for each pair of prefix and model. */
export function workerUserOf(prefix: string, model: string): string {
  return `worker:${prefix}:${model}`;
}

/**
 * Returns the rights of the workers of a model, as words of an ACL rule. They cover only the keys of the model's pool
 * and the channels on which gateways are notified about it.
 */
export function buildWorkerRights(prefix: string, model: string): string[] {
  const pool = escapePattern(`${prefix}:{m:${model}}:`);
  return [`~${pool}*`, `&${pool}n:*`, ...COMMANDS.map((command) => `+${command}`)];
}

/**
 * Creates or replaces the user of a model's workers on each server. Existing connections of the user stay open. Call it
 * for all servers, and again after each restart of a server, because Redis neither copies users to replicas nor stores
 * them.
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
