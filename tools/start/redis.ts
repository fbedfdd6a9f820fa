import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { ProgramSpec } from '../supervise/program.ts';
import { writeAtomically } from './files.ts';

export interface RedisOptions {
  serverPath: string;
  folder: string;
  port: number;
  password: string;
}

/**
 * Builds the configuration. With it, Redis acknowledges a write only when it is on disk, evicts nothing, and requires
 * the password from clients.
 */
export function buildRedisConfig({ folder, port, password }: Omit<RedisOptions, 'serverPath'>): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(folder)}`,
    'daemonize no',
    'appendonly yes',
    'appendfsync always',
    'maxmemory-policy noeviction',
    // The append-only file is the only copy of the data. A snapshot would be a second, older copy that an administrator
    // could restore by mistake.
    'save ""',
    'always-show-logo no',
    '',
  ].join('\n');
}

/**
 * Writes the configuration of Redis to a file and returns how to run Redis. The password is not an argument, because
 * all users of the machine can see the arguments of a program.
 */
export function redisProgram(options: RedisOptions): ProgramSpec {
  const config = join(options.folder, 'redis.conf');
  writeAtomically(config, buildRedisConfig(options), 0o600);
  return { name: 'redis', command: options.serverPath, args: [config], env: process.env, graceMs: 20_000 };
}

/**
 * Returns the URL for services. The URL names the user, because `redis-cli -u` accepts a password only together with a
 * user.
 */
export function redisUrl(port: number, password: string): string {
  return `redis://default:${password}@127.0.0.1:${port}`;
}

/** Returns undefined if Redis responds and has loaded its data, and otherwise what is missing. */
export async function checkRedis(port: number, password: string, timeoutMs = 1000): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    let answer = '';
    const finish = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(timeoutMs, () => finish('Redis does not answer'));
    socket.on('error', () => finish('Redis does not listen yet'));
    socket.on('close', () => finish('Redis closed the connection'));
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (data) => {
      answer += data.toString();
      if (answer.includes('+PONG')) finish();
      else if (answer.includes('-LOADING')) finish('Redis is loading its data');
      else if (answer.includes('-WRONGPASS')) finish('another Redis listens on this port');
    });
  });
}
