import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clocks, ProcessClock } from '../../../test/support/clock/process-clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { freePort } from '../../../test/support/ports.ts';
import { ask } from '../../../test/support/redis-cluster.ts';
import { findRedisServer } from '../../../test/support/redis.ts';
import { configurationLines, PRIMARY_NAME, startSentinel } from '../../../test/support/redis-sentinel.ts';
import { SupervisedProcess } from './process.ts';
import { startProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import { createRedisDisk } from './redis-disk.ts';
import type { RedisDisk } from './redis-disk.ts';

/** One Redis server of three. */
export interface RedisServer {
  readonly process: SupervisedProcess;
  readonly clock: ProcessClock;
  readonly disk: RedisDisk;
  /** Port of the server itself. */
  readonly port: number;
  /** Link from the other servers and the sentinels. They know the server only by the port of this proxy. */
  readonly peerLink: Proxy;
}

/** A primary, two replicas and three sentinels. */
export interface RedisGroup {
  readonly servers: readonly RedisServer[];
  /** Opens a link from one process to all servers and sentinels. */
  openLink: () => Promise<RedisLink>;
  /** Opens a link that no fault disturbs. The run itself uses it. */
  openDirectLink: () => Promise<RedisLink>;
  /** Suspends or continues a sentinel. */
  signalSentinel: (index: number, signal: 'SIGSTOP' | 'SIGCONT') => void;
  /** Asks a sentinel for a planned failover. */
  fail: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Proxies in front of all servers and sentinels. A fault disturbs all of them at the same time. */
export interface RedisLink extends Omit<Proxy, 'port'> {
  /** REDIS_URL that leads through the proxies. */
  readonly url: string;
}

const READY_WITHIN_MS = 60_000;

/** Starts the group. Its data and logs are in `folder`. `onCrash` is called for a server that ended by itself. */
export async function startRedisGroup(
  folder: string,
  downAfterMs: number,
  clocks: Clocks,
  onCrash: (server: RedisServer, status: string) => void,
): Promise<RedisGroup> {
  const servers: RedisServer[] = [];
  let count = 0;
  const redis = await startSentinel({
    downAfterMs,
    startServer: async (directives) => {
      const name = `redis-${count++}`;
      const server = await startServer(folder, { name, clock: clocks.create(name) }, directives, onCrash);
      servers.push(server);
      const { process, port, disk, peerLink } = server;
      const stop = async () => {
        await process.end('SIGKILL');
        await peerLink.stop();
        disk.remove();
      };
      const own = { url: `redis://127.0.0.1:${port}`, port, folder: disk.folder, pid: process.pid ?? 0, stop };
      const kill = () => process.end('SIGKILL');
      const restart = () => {
        process.start();
        return Promise.resolve();
      };
      return { redis: { ...own, kill, restart }, port: peerLink.port };
    },
  });
  const signalSentinel = (index: number, signal: NodeJS.Signals) => {
    const pid = redis.sentinelPids[index];
    if (pid !== undefined) process.kill(pid, signal);
  };
  const endSentinels = () => {
    for (const index of redis.sentinelPids.keys()) signalSentinel(index, 'SIGKILL');
  };
  // A run that is interrupted must not leave sentinels behind.
  process.once('exit', endSentinels);
  return {
    servers,
    openLink: async () => {
      const proxies = await Promise.all(servers.map(({ port }) => startProxy(port)));
      return openLink(redis, servers, proxies);
    },
    openDirectLink: () => openLink(redis, servers, []),
    signalSentinel,
    fail: async () => {
      await ask(redis.sentinelPorts[0] ?? 0, `SENTINEL FAILOVER ${PRIMARY_NAME}`);
    },
    stop: async () => {
      process.off('exit', endSentinels);
      await redis.stop();
    },
  };
}

async function startServer(
  folder: string,
  { name, clock }: { name: string; clock: ProcessClock },
  directives: readonly string[],
  onCrash: (server: RedisServer, status: string) => void,
): Promise<RedisServer> {
  const disk = createRedisDisk(join(folder, name));
  const port = await freePort();
  const peerLink = await startProxy(port);
  const network = ['--port', String(port), '--bind', '127.0.0.1', '--replica-announce-port', String(peerLink.port)];
  // As in the chart, Redis answers a write only after it is on disk, and a primary without replicas refuses writes.
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  const bounded = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '5'];
  const files = ['--dir', disk.folder, '--save', '""', '--auto-aof-rewrite-min-size', '32mb'];
  // Sentinel stores the role of a server in this file, so that the server has the same role after a restart.
  const file = join(folder, `${name}.conf`);
  const lines = configurationLines([...network, ...durable, ...bounded, ...files, ...directives]);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const process_ = new SupervisedProcess({
    name,
    command: findRedisServer(),
    args: [file],
    env: () => ({ PATH: process.env.PATH, ...clock.env }),
    logFile: join(folder, `${name}.log`),
    onCrash: (status) => onCrash(server, status),
  });
  const server = { process: process_, clock, disk, port, peerLink };
  process_.start();
  await eventually(`${name} answers`, READY_WITHIN_MS, () =>
    ask(port, 'PING').then(
      () => true,
      () => false,
    ),
  );
  return server;
}

/**
 * Opens a link through new proxies in front of the sentinels. The sentinels answer with the peer port of a server. The
 * new proxies replace this port by the port of the server's proxy in `proxies`. If `proxies` is empty, they replace it
 * by the port of the server itself.
 */
async function openLink(
  redis: { url: string; sentinelPorts: readonly number[] },
  servers: readonly RedisServer[],
  proxies: readonly Proxy[],
): Promise<RedisLink> {
  const ports = servers.map(({ peerLink, port }, at) => [peerLink.port, proxies[at]?.port ?? port] as const);
  const rewrite = (data: Buffer) => {
    let text = data.toString('latin1');
    for (const [from, to] of ports) text = text.replaceAll(`$5\r\n${from}\r\n`, `$5\r\n${to}\r\n`);
    return Buffer.from(text, 'latin1');
  };
  const sentinels = await Promise.all(redis.sentinelPorts.map((port) => startProxy(port, rewrite)));
  const all = [...proxies, ...sentinels];
  const each = (act: (proxy: Proxy) => void) => () => {
    for (const proxy of all) act(proxy);
  };
  return {
    url: redis.sentinelPorts.reduce((url, port, at) => url.replace(`:${port}/`, `:${sentinels[at]?.port}/`), redis.url),
    set: (state) => each((proxy) => proxy.set(state))(),
    drop: each((proxy) => proxy.drop()),
    stop: async () => {
      await Promise.all(all.map((proxy) => proxy.stop()));
    },
  };
}
