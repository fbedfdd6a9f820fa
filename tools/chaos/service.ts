import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { prepareClocks } from '../../test/support/clock/process-clock.ts';
import type { Clocks, ProcessClock } from '../../test/support/clock/process-clock.ts';
import { COMPILE_CACHE } from '../../test/support/compile-cache.ts';
import { connected } from '../../test/support/connected.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MODEL, SESSION_SECRETS } from '../../test/support/gateway.ts';
import { freePort } from '../../test/support/ports.ts';
import { programFile } from '../../test/support/programs.ts';
import { modelFolder } from '../../test/support/recording.ts';
import { ticketKeyFiles } from '../../test/support/ticket-keys.ts';
import { SupervisedProcess } from './parts/process.ts';
import { startApiServer } from './parts/api-server.ts';
import type { ApiServer } from './parts/api-server.ts';
import { startProxy } from './parts/proxy.ts';
import type { Proxy } from './parts/proxy.ts';
import { startRedisGroup } from './parts/redis-group.ts';
import type { RedisGroup, RedisLink, RedisServer } from './parts/redis-group.ts';
import {
  DOWN_AFTER_MS,
  GATEWAY_ENV,
  GATEWAYS,
  OPERATOR_ENV,
  REDIS_TIMEOUT_MS,
  WORKER_ENV,
  WORKERS,
} from './settings.ts';
import { buildResources, PEPPERS } from './tenants.ts';
import type { Timeline } from './timeline.ts';

/** A process with its link to Redis. */
export interface Member {
  readonly process: SupervisedProcess;
  readonly clock: ProcessClock;
  readonly redisLink: RedisLink;
  readonly adminUrl: string;
}

export interface GatewayMember extends Member {
  readonly baseUrl: string;
}

export interface WorkerMember extends Member {
  /** Link from the gateways to this worker. */
  readonly streamLink: Proxy;
}

/** All processes of the service. */
export interface ChaosService {
  readonly clocks: Clocks;
  readonly redis: RedisGroup;
  readonly apiServer: ApiServer;
  readonly gateways: readonly GatewayMember[];
  readonly workers: readonly WorkerMember[];
  readonly operator: Member;
  /** Ledger over a connection to Redis that the injected faults do not interrupt. */
  readonly ledger: Ledger;
  readonly tenantNames: readonly string[];
  stop: () => Promise<void>;
}

const PREFIX = 'chaos';
const READY_WITHIN_MS = 300_000;

interface Base {
  readonly folder: string;
  readonly redis: RedisGroup;
  readonly clocks: Clocks;
  readonly timeline: Timeline;
}

/** Starts Redis, an API server, the operator, gateways and workers, and waits until all are ready. */
export async function startChaosService(
  folder: string,
  timeline: Timeline,
  size: { tenants: number; concurrentSessions: number },
): Promise<ChaosService> {
  const onRedisCrash = ({ process: { name }, disk }: RedisServer, status: string) => {
    const text = `${name} ended by itself (${status})`;
    // With appendfsync always, Redis ends itself if the disk is full.
    if (disk.mayEndRedis) timeline.add(text);
    else timeline.violate(text);
  };
  const clocks = await prepareClocks(folder);
  const [redis, apiServer] = await Promise.all([
    startRedisGroup(folder, DOWN_AFTER_MS, clocks, onRedisCrash),
    startApiServer(folder),
  ]);
  const base = { folder, timeline, redis, clocks };
  const { resources, tenantNames } = buildResources(size.tenants, size.concurrentSessions);
  await apiServer.apply(resources);
  const operator = await createOperator(base, apiServer);
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, (_, index) => createGateway(base, index)));
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, index) => createWorker(base, index)));
  const members: readonly Member[] = [operator, ...gateways, ...workers];
  for (const { process } of members) process.start();
  const directLink = await redis.openDirectLink();
  const link = connectRedis({ url: directLink.url, name: 'chaos', timeoutMs: REDIS_TIMEOUT_MS });
  const ledger = createLedger(await connected(link), { prefix: PREFIX });
  const stop = async () => {
    await Promise.all(members.map(({ process }) => process.end('SIGKILL')));
    await ledger.link.close();
    const links = [...members.map(({ redisLink }) => redisLink), ...workers.map(({ streamLink }) => streamLink)];
    await Promise.all([directLink, ...links].map((each) => each.stop()));
    await Promise.all([redis.stop(), apiServer.stop()]);
  };
  try {
    for (const { process, adminUrl } of members) await untilReady(process.name, adminUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return { clocks, redis, apiServer, gateways, workers, operator, ledger, tenantNames, stop };
}

async function untilReady(name: string, adminUrl: string): Promise<void> {
  await eventually(`${name} is ready`, READY_WITHIN_MS, async () => {
    const response = await fetch(`${adminUrl}/readyz`).catch(() => undefined);
    return response?.ok === true;
  });
}

async function createMember(
  base: Base,
  program: 'gateway' | 'operator' | 'worker',
  name: string,
  env: (redisUrl: string) => NodeJS.ProcessEnv,
): Promise<Member> {
  const redisLink = await base.redis.openLink();
  const adminPort = await freePort();
  const clock = base.clocks.create(name);
  const process_ = new SupervisedProcess({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', programFile(program)],
    env: () => ({
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      ...clock.env,
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
      REDIS_KEY_PREFIX: PREFIX,
      ...env(redisLink.url),
    }),
    logFile: join(base.folder, `${name}.log`),
    onCrash: (status) => base.timeline.violate(`${name} ended by itself (${status})`),
  });
  return { process: process_, clock, redisLink, adminUrl: `http://127.0.0.1:${adminPort}` };
}

function createOperator(base: Base, { kubeconfig, namespace }: ApiServer): Promise<Member> {
  return createMember(base, 'operator', 'operator', (redisUrl) => ({
    REDIS_URL: redisUrl,
    KUBERNETES: kubeconfig,
    NAMESPACE: namespace,
    ...OPERATOR_ENV,
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
    // An id must not be used twice, so each start uses a new one.
    WORKER_ID: `${name}-${randomBytes(4).toString('hex')}`,
    WORKER_TICKET_PUBLIC_KEYS_FILE: ticketKeyFiles().publicKeysFile,
    PORT: String(port),
    ADVERTISE_ADDRESS: `ws://127.0.0.1:${streamLink.port}`,
    ...WORKER_ENV,
  }));
  return { ...member, streamLink };
}
