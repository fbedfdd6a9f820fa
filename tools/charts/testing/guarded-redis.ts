import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';
import { connected } from '../../../test/support/connected.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { find, render } from './render.ts';

export type RedisUser = 'gateway' | 'operator' | 'worker' | 'console' | 'admin';

/** A Redis that has only the users that the chart creates. */
export interface GuardedRedis {
  readonly port: number;
  /** Returns the URL of Redis with the credentials of a user. */
  url: (user: RedisUser) => string;
  /** Sends a command as a user that has all rights. */
  admin: (...command: string[]) => Promise<unknown>;
  /** Sends a GET without credentials. */
  unnamed: () => Promise<string>;
  /** Opens a connection as a user. */
  connect: (user: RedisUser) => Promise<RedisConnection>;
  /** Kills Redis and starts it again. It then has only the users of the chart. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a Redis with the ACL file that the chart renders from these values. */
export async function startGuardedRedis(values: object = {}): Promise<GuardedRedis> {
  const objects = await render(values);
  const textOf = (secret: string) => find(objects, 'Secret', secret).stringData as Record<string, string>;
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-acl-'));
  const file = join(folder, 'users.acl');
  // Redis starts without restrictions, then loads the users of the chart.
  writeFileSync(file, 'user default on nopass ~* &* +@all\n');
  const redis = await startRedis(['--aclfile', file, '--enable-debug-command', 'local']);
  const links: RedisConnection[] = [];
  const open = async (url: string) => {
    const link = connectRedis({ url, name: 'test', timeoutMs: 5000 });
    links.push(link);
    await connected(link);
    return link;
  };
  const first = await open(redis.url);
  writeFileSync(file, textOf('redis-acl')['users.acl'] ?? '');
  await first.send('', ['ACL', 'LOAD']);
  await first.close();

  const url = (user: RedisUser) =>
    `redis://${user}:${textOf('redis-passwords')[user] ?? ''}@127.0.0.1:${String(redis.port)}`;
  const admin = await open(url('admin'));
  return {
    port: redis.port,
    url,
    admin: (...command) => admin.send('', command),
    unnamed: () => ask(redis.port, 'GET svc:{x}1'),
    connect: (user) => open(url(user)),
    restart: async () => {
      await redis.kill();
      await redis.restart();
      await connected(admin);
    },
    stop: async () => {
      for (const link of links) await link.close();
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a command over a plain connection. Rejects if the response is an error. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.on('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      const answer = data.toString();
      if (answer.startsWith('-')) reject(new Error(answer));
      else resolve(answer);
    });
  });
}
