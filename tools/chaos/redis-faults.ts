import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '@svc-asr/ledger';
import { eventually } from '../../test/support/eventually.ts';
import { ask } from '../../test/support/redis-cluster.ts';
import type { FaultName } from './fault-list.ts';
import { kill, step, suspend } from './parts/process.ts';
import type { Heal } from './parts/process.ts';
import type { RedisGroup, RedisServer } from './parts/redis-group.ts';
import { isWhole, readReplication } from './replication.ts';
import type { PlannedFault } from './schedule.ts';
import type { ChaosService } from './service.ts';

/**
 * Memory limit that is lower than the memory that Redis always uses. Redis then refuses every write that needs memory.
 */
const FULL_MEMORY_BYTES = 1_000_000;
/** Longest time that a fault waits until the servers have recovered from the previous fault. */
const WHOLE_WITHIN_MS = 4000;
/** Time limit for the sentinels to promote a replica. It is long enough for a busy machine. */
const PROMOTED_WITHIN_MS = 20_000;
const RETRY_MS = 250;

/** Starts a fault. Returns the function that ends it. */
type Start = (primary: RedisServer, replica: RedisServer, redis: RedisGroup, stepMs: number) => Heal | Promise<Heal>;

const killPrimary: Start = (primary) => kill(primary.process);
const suspendPrimary: Start = (primary) => suspend(primary.process);
const stepPrimary: Start = ({ clock }, _replica, _redis, stepMs) => step(clock, stepMs);

const STARTS: Partial<Readonly<Record<FaultName, Start>>> = {
  'kill:redis': killPrimary,
  'lose:redis': killPrimary,
  'stop:redis': suspendPrimary,
  'freeze:redis': suspendPrimary,
  'kill:replica': (_, replica) => kill(replica.process),
  'stop:replica': (_, replica) => suspend(replica.process),
  'failover:redis': async (_primary, _replica, redis) => {
    await redis.fail();
    return () => undefined;
  },
  'isolate:redis': (primary) => {
    primary.peerLink.set('stall');
    return () => primary.peerLink.set('open');
  },
  'full:memory': async (primary) => {
    await setMemory(primary, FULL_MEMORY_BYTES);
    return () => setMemory(primary, 0);
  },
  'full:disk': (primary) => {
    primary.disk.fill();
    return () => primary.disk.free();
  },
  'ahead:redis': stepPrimary,
  'behind:redis': stepPrimary,
};

/** Injects a fault into the primary or one of its replicas. */
export async function injectIntoRedis(
  { redis }: ChaosService,
  { name, stepMs }: PlannedFault,
  primary: RedisServer,
): Promise<Heal> {
  const replica = redis.servers.find((server) => server !== primary) ?? primary;
  const start = STARTS[name];
  if (start === undefined) throw new Error(`${name} is no fault of Redis`);
  return start(primary, replica, redis, stepMs);
}

/** Waits until the sentinels have promoted another server than `former`. */
export async function untilPromoted(ledger: Ledger, former: RedisServer): Promise<void> {
  await eventually('another server is the primary', PROMOTED_WITHIN_MS, async () => {
    const found = await readReplication(ledger).catch(() => undefined);
    return found !== undefined && found.port !== former.port;
  });
}

/** Waits until Redis accepts writes. */
export async function untilRedisWrites({ link }: Ledger): Promise<void> {
  while (
    !(await link.send('', ['SET', 'chaos-probe', '']).then(
      () => true,
      () => false,
    ))
  ) {
    await sleep(RETRY_MS);
  }
}

/**
 * Waits until both replicas follow the primary, and returns the primary. Rejects if the servers have not recovered from
 * the last fault.
 */
export async function findPrimary({ redis, ledger }: ChaosService): Promise<RedisServer> {
  const { port } = await eventually('all servers follow one primary', WHOLE_WITHIN_MS, async () => {
    const found = await readReplication(ledger).catch(() => undefined);
    return found !== undefined && isWhole(found) && found;
  });
  const primary = redis.servers.find((server) => server.port === port);
  if (primary === undefined) throw new Error(`no server has the port ${port}`);
  return primary;
}

async function setMemory({ port }: RedisServer, bytes: number): Promise<void> {
  await ask(port, `CONFIG SET maxmemory ${bytes}`);
}
