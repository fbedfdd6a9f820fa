import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { endAfterFile, endProcess } from './leftovers.ts';
import { freePort } from './ports.ts';

/** A real Redis for one test, on a loopback port, with an append-only file in a temporary folder. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly pid: number;
  /** Ends the process by SIGKILL. */
  kill: () => Promise<void>;
  /** Starts Redis again with the same port and data. */
  restart: () => Promise<void>;
  /** Ends the process and deletes its data. */
  stop: () => Promise<void>;
}

/** Directives of a Redis that answers a write only after it is on disk, as in production. */
export const DURABLE = ['--appendfsync', 'always'] as const;

/**
 * Starts Redis. `options` are further command-line directives. By default the operating system decides when writes
 * reach the disk. Writes then survive if Redis is killed, and tests do not wait for the disk.
 */
export async function startRedis(options: readonly string[] = []): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-redis-'));
  const port = await freePort();
  let child = launch(port, folder, options);
  const stop = async () => {
    await endProcess(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  endAfterFile(stop);
  await untilReady(child, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => endProcess(child, 'SIGKILL'),
    restart: async () => {
      child = launch(port, folder, options);
      await untilReady(child, port);
    },
    stop,
  };
}

function launch(port: number, folder: string, options: readonly string[]): ChildProcess {
  const basics = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const kept = ['--appendonly', 'yes', '--appendfsync', 'no', '--maxmemory-policy', 'noeviction'];
  return spawn(findRedisServer(), [...basics, ...kept, ...options], { stdio: 'ignore' });
}

/** Waits until a server answers on its port. */
export async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error('redis-server did not answer within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the path of the server: REDIS_SERVER, or else the first one on PATH. */
export function findRedisServer(): string {
  const { REDIS_SERVER } = process.env;
  if (REDIS_SERVER !== undefined && REDIS_SERVER !== '') return REDIS_SERVER;
  for (const name of ['redis-server', 'valkey-server']) {
    const found = (process.env.PATH ?? '').split(delimiter).find((folder) => existsSync(join(folder, name)));
    if (found !== undefined) return join(found, name);
  }
  throw new Error('neither redis-server nor valkey-server is on PATH; `npm test` installs one');
}

/** Resolves with true if Redis answers PING with PONG. Redis answers with an error while it loads its data. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
