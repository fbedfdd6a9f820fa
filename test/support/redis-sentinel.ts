import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAfterFile, endProcess } from './leftovers.ts';
import { eventually } from './eventually.ts';
import { freeze, thaw } from './freeze.ts';
import { freePort } from './ports.ts';
import { ask } from './redis-cluster.ts';
import { findRedisServer, startRedis, untilReady } from './redis.ts';
import type { TestRedis } from './redis.ts';

/** Name under which the sentinels monitor the primary. */
export const PRIMARY_NAME = 'ledger';

/** A primary, two replicas and three sentinels, all of them real processes on loopback ports. */
export interface TestSentinel {
  /** REDIS_URL with the addresses of all sentinels. */
  readonly url: string;
  /** The servers in the order in which they were started. The first one is the primary until a failover. */
  readonly servers: readonly TestRedis[];
  readonly sentinelPorts: readonly number[];
  readonly sentinelPids: readonly number[];
  /** Returns the primary that all sentinels agree on. */
  primary: () => Promise<TestRedis>;
  /**
   * Waits until the sentinels agree on another primary than `former`, and until the new primary has `replicas`
   * replicas.
   */
  untilFailover: (former: TestRedis, replicas?: number) => Promise<TestRedis>;
  /** Waits until both replicas have all writes that the primary has accepted so far. */
  untilReplicated: () => Promise<void>;
  /**
   * Freezes the replicas and ends their connections, so that further writes reach only the primary. Returns a function
   * that continues the replicas.
   */
  cutOffReplicas: () => Promise<() => void>;
  stop: () => Promise<void>;
}

export interface SentinelTestOptions {
  /** Further directives of the servers. */
  directives?: readonly string[];
  /**
   * Files of a self-signed certificate for 127.0.0.1. If they are given, all connections except those of the tests use
   * TLS.
   */
  tls?: { certFile: string; keyFile: string };
  /** Time without an answer after which a sentinel counts a server as down. */
  downAfterMs?: number;
  /** Starts a server with these directives. `startRedis` is the default. */
  startServer?: (directives: readonly string[]) => Promise<SentinelServer>;
}

/** Longest wait for a failover. A sentinel pauses for 30 s if its process was not scheduled in time (TILT mode). */
export const FAILOVER_TIMEOUT_MS = 90_000;
const DOWN_AFTER_MS = 1000;

export interface SentinelServer {
  redis: TestRedis;
  /** Port that replicas, sentinels and clients use. With TLS, it is the TLS port. */
  port: number;
}

export async function startSentinel(options: SentinelTestOptions = {}): Promise<TestSentinel> {
  const first = await startServer(options);
  const replicaOf = ['--replicaof', '127.0.0.1', String(first.port)];
  const servers = [first, ...(await Promise.all([1, 2].map(() => startServer(options, replicaOf))))];
  await eventually('the replicas have copied the data', 60_000, async () => (await countReplicas(first.redis)) === 2);
  const sentinels = await startSentinels(servers, options);
  const ports = sentinels.map(({ port }) => port);

  const primary = async (): Promise<TestRedis> => {
    const replies = await Promise.all(
      ports.map((port) => ask(port, `SENTINEL GET-MASTER-ADDR-BY-NAME ${PRIMARY_NAME}`)),
    );
    const [reply, ...others] = new Set(replies);
    const found = servers.find(({ port }) => reply?.includes(`\r\n${port}\r\n`));
    if (others.length > 0 || found === undefined) throw new Error(`the sentinels report ${replies.join(', ')}`);
    return found.redis;
  };
  const scheme = options.tls === undefined ? 'redis+sentinel' : 'rediss+sentinel';
  return {
    url: sentinels.map(({ clientPort }) => `${scheme}://127.0.0.1:${clientPort}/${PRIMARY_NAME}`).join(','),
    servers: servers.map(({ redis }) => redis),
    sentinelPorts: ports,
    sentinelPids: sentinels.map(({ pid }) => pid),
    primary,
    untilFailover: (former, replicas = 1) =>
      eventually('the failover is complete', FAILOVER_TIMEOUT_MS, async () => {
        const next = await primary().catch(() => former);
        if (next === former || !(await isPrimary(next))) return undefined;
        return (await countReplicas(next)) >= replicas ? next : undefined;
      }),
    untilReplicated: async () => {
      const current = await primary();
      const offset = readOffsets(await ask(current.port, 'INFO replication'), 'master_repl_offset:')[0]!;
      await eventually('the replicas have all writes', 60_000, async () => {
        const copied = readOffsets(await ask(current.port, 'INFO replication'), ',offset=');
        return copied.filter((each) => each >= offset).length === 2;
      });
    },
    cutOffReplicas: async () => {
      const isolated = await primary();
      const replicas = servers.flatMap(({ redis }) => (redis === isolated ? [] : [redis.pid]));
      await freeze(...replicas);
      // Otherwise the writes would wait in the sockets, and the replicas would read them later.
      await ask(isolated.port, 'CLIENT KILL TYPE replica');
      return () => thaw(...replicas);
    },
    stop: async () => {
      await Promise.all(sentinels.map(({ stop }) => stop()));
      await Promise.all(servers.map(({ redis }) => redis.stop()));
    },
  };
}

async function startServer(
  { directives = [], tls, startServer: start }: SentinelTestOptions,
  replicaOf: readonly string[] = [],
): Promise<SentinelServer> {
  // By default a primary waits for 5 s for further replicas before it sends its data.
  const quick = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];
  if (start !== undefined) return start([...quick, ...replicaOf, ...directives]);
  if (tls === undefined) {
    const redis = await startRedis([...quick, ...replicaOf, ...directives]);
    return { redis, port: redis.port };
  }
  const port = await freePort();
  const announce = ['--tls-port', String(port), '--replica-announce-port', String(port)];
  const redis = await startRedis([...quick, ...announce, ...tlsDirectives(tls), ...replicaOf, ...directives]);
  return { redis, port };
}

function tlsDirectives({ certFile, keyFile }: { certFile: string; keyFile: string }): string[] {
  const files = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile];
  // Sentinels use TLS for their connections to servers and to each other if this directive is set.
  return [...files, '--tls-auth-clients', 'no', '--tls-replication', 'yes'];
}

interface Sentinel {
  port: number;
  /** Port that clients use. With TLS, it is the TLS port. */
  clientPort: number;
  pid: number;
  stop: () => Promise<void>;
}

/**
 * Starts three sentinels. Their configuration names the other sentinels and the replicas, because they would need some
 * seconds to find each other.
 */
async function startSentinels(servers: readonly SentinelServer[], options: SentinelTestOptions): Promise<Sentinel[]> {
  const plans = await Promise.all(
    [0, 1, 2].map(async () => {
      const port = await freePort();
      return {
        port,
        clientPort: options.tls === undefined ? port : await freePort(),
        id: randomBytes(20).toString('hex'),
      };
    }),
  );
  const [first, ...replicas] = servers.map(({ port }) => port);
  const started = plans.map(({ port, clientPort, id }) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-asr-sentinel-'));
    const lines = [
      ...(options.tls === undefined ? [] : [`tls-port ${clientPort}`]),
      ...(options.tls === undefined ? [] : configurationLines(tlsDirectives(options.tls))),
      ...['bind 127.0.0.1', `port ${port}`, `dir ${folder}`, `sentinel myid ${id}`],
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${first} 2`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} ${options.downAfterMs ?? DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${PRIMARY_NAME} 3000`,
      `sentinel parallel-syncs ${PRIMARY_NAME} 2`,
      ...replicas.map((replica) => `sentinel known-replica ${PRIMARY_NAME} 127.0.0.1 ${replica}`),
      ...plans
        .filter((plan) => plan.id !== id)
        .map((plan) => `sentinel known-sentinel ${PRIMARY_NAME} 127.0.0.1 ${plan.clientPort} ${plan.id}`),
    ];
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const child = spawn(findRedisServer(), [file, '--sentinel'], { stdio: 'ignore' });
    return { child, port, clientPort, pid: child.pid ?? 0, stop: () => endSentinel(child, folder) };
  });
  for (const { stop } of started) endAfterFile(stop);
  for (const { child, port } of started) {
    await untilReady(child, port);
    // Shorter periods shorten a failover. A busy machine must not make the sentinels pause for 30 s.
    await ask(port, 'SENTINEL DEBUG info-period 300 ping-period 500 ask-period 200 publish-period 300');
    await ask(port, 'SENTINEL DEBUG tilt-trigger 30000');
  }
  for (const { port } of started) {
    await eventually('the sentinels can agree on a failover', 60_000, () =>
      ask(port, `SENTINEL CKQUORUM ${PRIMARY_NAME}`).then(
        () => true,
        () => false,
      ),
    );
  }
  return started;
}

async function endSentinel(child: ChildProcess, folder: string): Promise<void> {
  await endProcess(child, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Converts command-line directives to lines of a configuration file. */
export function configurationLines(directives: readonly string[]): string[] {
  return directives
    .join(' ')
    .split(/(?:^| )--/)
    .slice(1);
}

async function isPrimary({ port }: TestRedis): Promise<boolean> {
  return (await replicationOf(port)).includes('role:master');
}

export async function isReplica({ port }: TestRedis): Promise<boolean> {
  return (await replicationOf(port)).includes('role:slave');
}

/** Returns the replication state of a server. It is empty if Sentinel ends the connection, as it does in a failover. */
function replicationOf(port: number): Promise<string> {
  return ask(port, 'INFO replication').catch(() => '');
}

/** Counts the replicas that have copied the data, and have confirmed it. */
async function countReplicas({ port }: TestRedis): Promise<number> {
  return readOffsets(await replicationOf(port), ',offset=').filter((offset) => offset > 0).length;
}

/** Returns the numbers that follow a text in a reply of INFO. */
function readOffsets(info: string, text: string): number[] {
  return info
    .split(text)
    .slice(1)
    .map((rest) => Number.parseInt(rest, 10));
}
