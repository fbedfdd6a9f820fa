import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '@svc-asr/ledger';
import { COMPILE_CACHE } from '../../test/support/compile-cache.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MODEL, SESSION_SECRETS } from '../../test/support/gateway.ts';
import { openLedger } from '../../test/support/ledger.ts';
import { freePort } from '../../test/support/ports.ts';
import { programFile } from '../../test/support/programs.ts';
import { modelFolder } from '../../test/support/recording.ts';
import { ticketKeyFiles } from '../../test/support/ticket-keys.ts';
import { findRedis } from '../install/programs.ts';
import { SupervisedProcess } from './process.ts';
import { startProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import { createRedisDisk } from './redis-disk.ts';
import type { RedisDisk } from './redis-disk.ts';
import { GATEWAY_ENV, GATEWAYS, WORKER_ENV, WORKERS } from './settings.ts';
import { PEPPERS, writeResources } from './tenants.ts';
import type { Timeline } from './timeline.ts';

/** A process with its link to Redis. */
export interface Member {
  readonly process: SupervisedProcess;
  readonly redisLink: Proxy;
  readonly adminUrl: string;
}

export interface GatewayMember extends Member {
  readonly baseUrl: string;
}

export interface WorkerMember extends Member {
  /** Link from the gateways. */
  readonly streamLink: Proxy;
}

/** All processes of the service. */
export interface ChaosService {
  readonly redis: SupervisedProcess;
  readonly disk: RedisDisk;
  readonly gateways: readonly GatewayMember[];
  readonly workers: readonly WorkerMember[];
  readonly operator: Member;
  /** Ledger that reads Redis without a proxy. */
  readonly ledger: Ledger;
  readonly tenantNames: readonly string[];
  stop: () => Promise<void>;
}

const PREFIX = 'chaos';
const READY_WITHIN_MS = 300_000;

interface Base {
  readonly folder: string;
  readonly redisPort: number;
  readonly timeline: Timeline;
}

/** Starts Redis, the operator, gateways and workers, and waits until all are ready. */
export async function startChaosService(
  folder: string,
  timeline: Timeline,
  size: { tenants: number; concurrentSessions: number },
): Promise<ChaosService> {
  const base = { folder, timeline, redisPort: await freePort() };
  const disk = createRedisDisk(join(folder, 'redis'));
  const redis = createRedis(base, disk);
  redis.start();
  const resources = join(folder, 'resources');
  mkdirSync(resources);
  const tenantNames = writeResources(resources, size.tenants, size.concurrentSessions);
  const operator = await createOperator(base, resources);
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, (_, index) => createGateway(base, index)));
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, index) => createWorker(base, index)));
  const members: readonly Member[] = [operator, ...gateways, ...workers];
  for (const { process } of members) process.start();
  const ledger = await openLedger(`redis://127.0.0.1:${base.redisPort}`, { prefix: PREFIX });
  const stop = async () => {
    await Promise.all(members.map(({ process }) => process.end('SIGKILL')));
    await ledger.link.close();
    await redis.end('SIGKILL');
    const proxies = [...members.map(({ redisLink }) => redisLink), ...workers.map(({ streamLink }) => streamLink)];
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    disk.remove();
  };
  try {
    for (const { process, adminUrl } of members) await untilReady(process.name, adminUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return { redis, disk, gateways, workers, operator, ledger, tenantNames, stop };
}

async function untilReady(name: string, adminUrl: string): Promise<void> {
  await eventually(`${name} is ready`, READY_WITHIN_MS, async () => {
    const response = await fetch(`${adminUrl}/readyz`).catch(() => undefined);
    return response?.ok === true;
  });
}

function createRedis({ folder, redisPort, timeline }: Base, disk: RedisDisk): SupervisedProcess {
  const command = findRedis()?.path;
  if (command === undefined) throw new Error('Redis is not installed');
  const network = ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', disk.folder, '--save', ''];
  // As in the chart, Redis answers a write only after it is on disk.
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  const rewrites = ['--auto-aof-rewrite-min-size', '32mb'];
  return new SupervisedProcess({
    name: 'redis',
    command,
    args: [...network, ...durable, ...rewrites],
    env: () => ({ PATH: process.env.PATH }),
    logFile: join(folder, 'redis.log'),
    onCrash: (status) => {
      const text = `redis ended by itself (${status})`;
      // With appendfsync always, Redis ends itself if the disk is full.
      if (disk.mayEndRedis) timeline.add(text);
      else timeline.violate(text);
    },
  });
}

async function createMember(
  base: Base,
  program: 'gateway' | 'operator' | 'worker',
  name: string,
  env: (redisUrl: string) => NodeJS.ProcessEnv,
): Promise<Member> {
  const redisLink = await startProxy(base.redisPort);
  const adminPort = await freePort();
  const process_ = new SupervisedProcess({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', programFile(program)],
    env: () => ({
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
      REDIS_KEY_PREFIX: PREFIX,
      ...env(`redis://127.0.0.1:${redisLink.port}`),
    }),
    logFile: join(base.folder, `${name}.log`),
    onCrash: (status) => base.timeline.violate(`${name} ended by itself (${status})`),
  });
  return { process: process_, redisLink, adminUrl: `http://127.0.0.1:${adminPort}` };
}

function createOperator(base: Base, resources: string): Promise<Member> {
  return createMember(base, 'operator', 'operator', (redisUrl) => ({
    REDIS_URL: redisUrl,
    CONFIG_FOLDERS: resources,
    LEDGER_ID_FILE: join(base.folder, 'ledger-id'),
    WORKER_STATE_FOLDER: join(base.folder, 'workers'),
    WORKER_LOG_FOLDER: base.folder,
  }));
}

async function createGateway(base: Base, index: number): Promise<GatewayMember> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const member = await createMember(base, 'gateway', `gateway-${index}`, (redisUrl) => ({
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: baseUrl,
    API_KEY_PEPPERS: PEPPERS,
    SESSION_SECRETS,
    WORKER_TICKET_KEY_FILE: ticketKeyFiles().keyFile,
    LEDGER_ID_FILE: join(base.folder, 'ledger-id'),
    ...GATEWAY_ENV,
  }));
  return { ...member, baseUrl };
}

async function createWorker(base: Base, index: number): Promise<WorkerMember> {
  const port = await freePort();
  const streamLink = await startProxy(port);
  const name = `worker-${index}`;
  const member = await createMember(base, 'worker', name, (redisUrl) => ({
    REDIS_URL: redisUrl,
    MODEL,
    MODEL_DIR: modelFolder(MODEL),
    // An id must not be used twice, so each start has another one.
    WORKER_ID: `${name}-${randomBytes(4).toString('hex')}`,
    WORKER_TICKET_PUBLIC_KEYS_FILE: ticketKeyFiles().publicKeysFile,
    PORT: String(port),
    ADVERTISE_ADDRESS: `ws://127.0.0.1:${streamLink.port}`,
    ...WORKER_ENV,
  }));
  return { ...member, streamLink };
}
