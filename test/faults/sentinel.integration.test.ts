import type { Ledger } from '@svc-asr/ledger';
import { LedgerUnavailable, replay } from '@svc-asr/ledger';
import { parseKeyring } from '@svc-asr/runtime';
import { readCredential } from '../../gateway/src/sessions/credential.ts';
import { connected } from '../support/connected.ts';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { MODEL, ownPrefix, postSession, seedCatalogue, seedTenant, SESSION_SECRETS } from '../support/gateway.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { recording } from '../support/recording.ts';
import { ask } from '../support/redis-cluster.ts';
import { FAILOVER_TIMEOUT_MS, isReplica, startSentinel } from '../support/redis-sentinel.ts';
import type { TestSentinel } from '../support/redis-sentinel.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import type { StreamClient } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

const prefix = ownPrefix();
const { pcm } = recording();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const OWNER = { id: 'g', epoch: 1 };
/**
 * Number of samples that each settlement reports. Each settlement charges two seconds, because the charge is rounded up
 * to whole seconds.
 */
const SAMPLES = 16_001;
const CREDIT_MS = 36_000_000;
let redis: TestSentinel;
let ledger: Ledger;
let gateway: TestGateway;
let worker: TestWorker;

beforeAll(async () => {
  redis = await startSentinel();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  [gateway, worker] = await Promise.all([
    // The provisional lease is short, because a session whose response was lost holds credit until its lease expires.
    // The idle timeout is long, because streams send no audio while they wait for the failover.
    startGateway(redis.url, prefix, {
      REDIS_TIMEOUT_MS: '1000',
      PROVISIONAL_LEASE_MS: '5000',
      STREAM_IDLE_MS: '300000',
    }),
    startWorker(redis.url, prefix),
  ]);
});
afterAll(async () => {
  await gateway.stop();
  await worker.stop('SIGKILL');
  await ledger.link.close();
  await redis.stop();
});

interface Load {
  tenant: string;
  /** Sessions that the gateway has created. */
  created: string[];
  /** Sessions for which the test sent a settlement, whether Redis acknowledged it or not. */
  settled: string[];
}

/** Creates sessions through the gateway, and connects and settles every other session, until `isOver` returns true. */
async function drive(key: string, load: Load, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, body } = await postSession(gateway, key);
    if (status === 201) {
      load.created.push(body.id!);
      if (load.created.length % 2 === 0) await settle(load, body.id!, body.websocket_protocols![1]!);
    } else {
      expect(status).toBe(503);
      await pause(50);
    }
  }
}

async function settle({ tenant, settled }: Load, sessionId: string, protocol: string): Promise<void> {
  const { hash: credentialHash } = readCredential(parseKeyring(SESSION_SECRETS), protocol, sessionId)!;
  settled.push(sessionId);
  try {
    await ledger.sessions.connect({ tenant, sessionId, credentialHash, owner: OWNER, connectionId: sessionId });
    await ledger.sessions.settle(tenant, sessionId, OWNER, SAMPLES, 'test');
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
  }
}

/** Opens a stream and sends two seconds of audio. */
async function startStream(): Promise<{ tenant: string; stream: StreamClient }> {
  const { tenant, key } = await seedTenant(ledger, 60_000);
  const stream = await openStream(await createSession(gateway, key, { model: MODEL, max_audio_seconds: 20 }));
  await stream.next('ready');
  stream.audio(pcm.subarray(0, 64_000));
  await stream.next('delta');
  return { tenant, stream };
}

/**
 * Ends every session of the tenant, and checks that each settlement was charged once and that no credit stays reserved.
 */
async function expectBalance({ tenant, created, settled }: Load): Promise<void> {
  let charged = 0;
  for (const id of settled) {
    const ended = await ledger.sessions.settle(tenant, id, OWNER, SAMPLES, 'again');
    if (!('billableMs' in ended)) continue;
    expect(ended.billableMs).toBe(2000);
    charged++;
  }
  for (const id of created) await ledger.sessions.fail(tenant, id, undefined, 0, 'test');
  const account = await eventually('no session is live', 60_000, async () => {
    const found = await ledger.accounts.read(tenant);
    return found?.liveSessions === 0 && found;
  });
  expect(account).toMatchObject({ reservedMs: 0, consumedMs: 2000 * charged, grantedMs: CREDIT_MS });
  expect(account.availableMs).toBe(CREDIT_MS - 2000 * charged);
  expect(replay(await ledger.journal.read(tenant))).toMatchObject({ reserved: 0, consumed: 2000 * charged });
}

/** Faults of the primary: how each one starts and ends. */
const FAULTS: [fault: string, start: (primary: TestRedis) => unknown, end: (primary: TestRedis) => unknown][] = [
  ['is killed', ({ kill }) => kill(), ({ restart }) => restart()],
  ['freezes', ({ pid }) => freeze(pid), ({ pid }) => thaw(pid)],
];

test.each(FAULTS)(
  'if the primary %s under load, streams and new sessions continue on the new primary, and no credit is lost',
  async (_, startFault, endFault) => {
    const accounts = await Promise.all([1, 2].map(() => seedTenant(ledger, CREDIT_MS, { concurrentSessions: 10_000 })));
    const loads = accounts.map(({ tenant }): Load => ({ tenant, created: [], settled: [] }));
    const { tenant, stream } = await startStream();
    const former = await redis.primary();
    await redis.untilReplicated();

    let isOver = false;
    const work = Promise.all(accounts.map(({ key }, at) => drive(key, loads[at]!, () => isOver)));
    const grown = (from: readonly number[], by: number) => () =>
      loads.every(({ created }, at) => created.length >= from[at]! + by);
    await eventually('sessions are created', 60_000, grown([0, 0], 10));
    await startFault(former);
    await redis.untilFailover(former);
    const counts = loads.map(({ created }) => created.length);
    await eventually('sessions are created on the new primary', 60_000, grown(counts, 10));
    isOver = true;
    await work;

    stream.send({ type: 'flush' });
    expect((await stream.next('final')).text.length).toBeGreaterThan(0);
    stream.close();
    expect((await stream.closed).code).toBe(1000);
    // The former primary becomes a replica. Writes that only the former primary had accepted must not reappear.
    await endFault(former);
    await eventually('the former primary is a replica', FAILOVER_TIMEOUT_MS, () => isReplica(former));
    await connected(ledger.link, 30_000);
    await eventually('the stream is settled', 60_000, async () => {
      const usage = await ledger.accounts.usage(tenant);
      return usage?.balance.reservedMs === 0 && usage.balance.consumedMs === 2000;
    });
    for (const load of loads) await expectBalance(load);
  },
);

test('a stream whose session was lost in a failover continues to its end, is not charged and leaves its account usable', async () => {
  const { tenant, key } = await seedTenant(ledger, 60_000);
  await redis.untilReplicated();
  const former = await redis.primary();
  const resume = await redis.cutOffReplicas();
  // The replicas are cut off. They receive neither the reservation of the session nor the record that its stream has
  // connected.
  const stream = await openStream(await createSession(gateway, key, { model: MODEL, max_audio_seconds: 20 }));
  await stream.next('ready');
  stream.audio(pcm.subarray(0, 64_000));
  await stream.next('delta');
  await former.kill();
  resume();
  await redis.untilFailover(former);
  await connected(ledger.link, 60_000);
  expect(await ledger.accounts.read(tenant)).toMatchObject({ reservedMs: 0, liveSessions: 0 });

  stream.send({ type: 'flush' });
  expect((await stream.next('final')).text.length).toBeGreaterThan(0);
  stream.close();
  expect((await stream.closed).code).toBe(1000);
  await eventually('another session is created', 60_000, async () => (await postSession(gateway, key)).status === 201);
  expect(await ledger.accounts.read(tenant)).toMatchObject({ consumedMs: 0, reservedMs: 5000, liveSessions: 1 });
  await former.restart();
  await eventually('the former primary is a replica', FAILOVER_TIMEOUT_MS, () => isReplica(former));
});

test('with min-replicas-to-write, a primary refuses writes while it has no replicas, and accepts writes when a replica is back', async () => {
  const { key } = await seedTenant(ledger, CREDIT_MS, { concurrentSessions: 100 });
  const statusOf = async () => (await postSession(gateway, key)).status;
  for (const { port } of redis.servers) await ask(port, 'CONFIG SET min-replicas-to-write 1 min-replicas-max-lag 2');
  await eventually('sessions are created', 60_000, async () => (await statusOf()) === 201);
  const resume = await redis.cutOffReplicas();
  try {
    await eventually('the gateway answers 503', 60_000, async () => (await statusOf()) === 503);
    await expect(ledger.link.send('k', ['SET', 'k', 'v'])).rejects.toThrow('NOREPLICAS');
  } finally {
    resume();
  }
  await eventually('sessions are created again', 60_000, async () => (await statusOf()) === 201);
});
