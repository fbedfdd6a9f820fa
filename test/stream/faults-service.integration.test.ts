import { Agent } from 'node:http';
import type { Ledger } from '@svc-asr/ledger';
import { send } from '../support/answer.ts';
import type { Answer } from '../support/answer.ts';
import { connected } from '../support/connected.ts';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { createNarrowUser, WITHOUT_ACCOUNTS } from '../support/narrow-redis.ts';
import { recording } from '../support/recording.ts';
import { refusal } from '../support/refusals.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import type { SessionBody, StreamClient, Refused } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const prefix = ownPrefix();
const { pcm } = recording();
const LEASE_MS = 5000;
/** Settings with short leases, so that the test can wait until a crash is detected. */
const HASTY = {
  PROCESS_LEASE_MS: String(LEASE_MS),
  LEASE_RENEW_MS: '1000',
  STOP_GRACE_MS: '15000',
  STREAM_FINAL_TIMEOUT_MS: '6000',
  // Streams wait without audio until Redis and other gateways have started.
  STREAM_IDLE_MS: '300000',
};
let redis: TestRedis;
let ledger: Ledger;
let gateway: TestGateway;
let worker: TestWorker;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  [gateway, worker] = await Promise.all([startGateway(redis.url, prefix, HASTY), startWorker(redis.url, prefix)]);
});
afterAll(async () => {
  await gateway.stop();
  await worker.stop('SIGKILL');
  await ledger.link.close();
  await redis.stop();
});

async function startSession(on: TestGateway): Promise<{ tenant: string; session: string; stream: StreamClient }> {
  const { tenant, key } = await seedTenant(ledger, 3_600_000);
  const created = await createSession(on, key, { model: MODEL });
  const stream = await openStream(created);
  await stream.next('ready');
  stream.audio(pcm);
  await stream.next('delta');
  return { tenant, session: created.id, stream };
}

async function ended(tenant: string) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const usage = (await ledger.accounts.usage(tenant))!;
    if (usage.recent[0]?.completedAtMs !== null) return { ...usage.recent[0]!, balance: usage.balance };
    if (Date.now() > deadline) throw new Error(`still ${usage.recent[0].state}`);
    await pause(50);
  }
}

/** Returns whether a session has a slot of a worker. */
async function hasSlot(session: string): Promise<boolean> {
  const key = `${prefix}:{m:${MODEL}}:a`;
  return (await ledger.link.send(key, ['HEXISTS', key, session])) === 1;
}

/** Waits until the slot of a session is free. The slot becomes free a moment after the session is settled. */
async function untilSlotIsFree(session: string): Promise<void> {
  await eventually('the slot is free', 30_000, async () => !(await hasSlot(session)));
}

async function untilUnready({ adminUrl }: TestGateway): Promise<void> {
  await eventually(
    'the gateway reports unready',
    30_000,
    async () => (await fetch(`${adminUrl}/readyz`)).status === 503,
  );
}

test.concurrent('a gateway crash fails its sessions without a charge and frees their slots', async () => {
  const doomed = await startGateway(redis.url, prefix, HASTY);
  const { tenant, session } = await startSession(doomed);
  expect(await hasSlot(session)).toBe(true);
  await doomed.stop('SIGKILL');
  expect(await ended(tenant)).toMatchObject({
    state: 'failed',
    billableMs: 0,
    balance: { reservedMs: 0, consumedMs: 0, availableMs: 3_600_000 },
  });
  await untilSlotIsFree(session);
});

test.concurrent('if a gateway stops while Redis refuses its settlements, other gateways end its sessions as failed, without a charge', async () => {
  const user = await createNarrowUser(redis, ledger.link, 'leaving');
  const leaving = await startGateway(user.url, prefix, HASTY);
  const { tenant, session, stream } = await startSession(leaving);
  expect(await hasSlot(session)).toBe(true);
  await user.allow(...WITHOUT_ACCOUNTS);
  stream.close();
  await stream.closed;
  expect(await leaving.stop('SIGTERM')).toBe(0);
  expect(await ended(tenant)).toMatchObject({
    state: 'failed',
    billableMs: 0,
    balance: { reservedMs: 0, consumedMs: 0, availableMs: 3_600_000 },
  });
  await untilSlotIsFree(session);
});

test('a gateway that receives SIGTERM refuses handshakes, sends finals and close code 1001, and charges nothing', async () => {
  const leaving = await startGateway(redis.url, prefix, HASTY);
  const { tenant, stream } = await startSession(leaving);
  const { key } = await seedTenant(ledger, 60_000);
  const late = await createSession(leaving, key, { model: MODEL });
  // A stopped worker sends no final, so the first stream stays open. The gateway therefore still runs when it refuses
  // the handshake of the second session.
  await freeze(worker.pid);
  const exit = leaving.stop('SIGTERM');
  try {
    await untilUnready(leaving);
    await expect(openStream(late)).rejects.toMatchObject({ status: 503 } satisfies Partial<Refused>);
  } finally {
    thaw(worker.pid);
  }
  expect((await stream.next('final')).text.length).toBeGreaterThan(0);
  expect(await stream.closed).toEqual({ code: 1001, reason: 'draining' });
  expect(await exit).toBe(0);
  expect(await ended(tenant)).toMatchObject({ state: 'failed', billableMs: 0 });
});

test('a stream whose worker hangs during the last flush is closed with 1011 and is not charged', async () => {
  const { tenant, key } = await seedTenant(ledger, 3_600_000);
  const stream = await openStream(await createSession(gateway, key, { model: MODEL, max_audio_seconds: 1 }));
  await stream.next('ready');
  await freeze(worker.pid);
  try {
    stream.audio(pcm.subarray(0, 32_000));
    expect(await stream.closed).toEqual({ code: 1011, reason: 'internal_error' });
  } finally {
    thaw(worker.pid);
  }
  expect(await ended(tenant)).toMatchObject({ state: 'failed', audioMs: 1000, billableMs: 0 });
});

test.concurrent('a gateway that shuts down creates sessions until DRAIN_DELAY_MS has passed, and none afterwards', async () => {
  const DELAY_MS = 10_000;
  const leaving = await startGateway(redis.url, prefix, {
    ...HASTY,
    DRAIN_DELAY_MS: String(DELAY_MS),
    STOP_GRACE_MS: '60000',
  });
  // The shutdown waits for this stream, so the gateway still runs while the test sends requests.
  const { stream } = await startSession(leaving);
  const { tenant, key } = await seedTenant(ledger, 3_600_000, { concurrentSessions: 2 });
  const agent = new Agent({ keepAlive: true });
  const ask = (method: string, path: string): Promise<Answer> => {
    const body = method === 'POST' ? { model: MODEL, max_audio_seconds: 5 } : undefined;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return send(leaving.baseUrl + path, { method, headers, body, agent });
  };
  expect((await ask('GET', '/v1/usage')).headers.connection).toBe('keep-alive');
  const exit = leaving.stop('SIGTERM');
  await untilUnready(leaving);
  const created = await ask('POST', '/v1/asr/sessions');
  expect([created.status, created.headers.connection]).toEqual([201, 'close']);

  await pause(DELAY_MS);
  const refused = await ask('POST', '/v1/asr/sessions');
  expect([refusal(refused), refused.headers.connection]).toEqual(['service_unavailable', 'close']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(0);
  expect((await ledger.accounts.usage(tenant))!.balance.reservedMs).toBe(5000);
  expect(await ask('GET', '/v1/usage')).toMatchObject({ status: 200, headers: { connection: 'close' } });

  const session = created.body as SessionBody;
  const elsewhere = session.websocket_url.replace(leaving.baseUrl.slice(4), gateway.baseUrl.slice(4));
  const moved = await openStream({ ...session, websocket_url: elsewhere });
  await moved.next('ready');
  moved.close();
  stream.close();
  expect(await exit).toBe(0);
  agent.destroy();
});

test.concurrent('a gateway that lost its lease ends its streams with 1011, charges nothing and accepts new streams', async () => {
  const frozen = await startGateway(redis.url, prefix, HASTY);
  const { tenant, stream } = await startSession(frozen);
  await freeze(frozen.pid);
  try {
    expect(await ended(tenant)).toMatchObject({ state: 'failed', billableMs: 0 });
  } finally {
    thaw(frozen.pid);
  }
  expect(await stream.closed).toEqual({ code: 1011, reason: 'internal_error' });
  expect(stream.events.at(-1)).toMatchObject({ type: 'error', code: 'internal_error', fatal: true });

  const next = await startSession(frozen);
  next.stream.close();
  expect(await ended(next.tenant)).toMatchObject({ state: 'completed' });
  // By now the gateway has also tried to settle the lost stream. The ledger has ignored this settlement.
  expect(await ended(tenant)).toMatchObject({
    state: 'failed',
    billableMs: 0,
    balance: { reservedMs: 0, consumedMs: 0, availableMs: 3_600_000 },
  });
  expect(await frozen.stop()).toBe(0);
});

test('a live stream continues while Redis is unavailable and is settled afterwards', async () => {
  const { tenant, stream } = await startSession(gateway);
  await redis.kill();
  stream.send({ type: 'flush' });
  const first = await stream.next('final');
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  expect((await stream.next('final')).text).toBe(first.text);
  stream.close();
  await stream.closed;
  await pause(500);
  await redis.restart();
  await connected(ledger.link);
  expect(await ended(tenant)).toMatchObject({
    state: 'completed',
    audioMs: Math.ceil(pcm.length / 16),
    billableMs: Math.ceil(pcm.length / 16_000) * 1000,
  });
});

test('if a gateway starts just when Redis becomes available, it does not end streams of gateways whose leases expired in the outage', async () => {
  const { tenant, stream } = await startSession(gateway);
  await redis.kill();
  // These gateways start while Redis is down, so that their reapers run as soon as they connect. Gateways retry at
  // random intervals. With three gateways, one of them probably connects early.
  const starting = [1, 2, 3].map(() => startGateway(redis.url, prefix, HASTY));
  await pause(LEASE_MS + 1000);
  await redis.restart();
  await connected(ledger.link);
  const started = await Promise.all(starting);
  await pause(LEASE_MS + 500);
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  await stream.next('final', 30_000);
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  expect(await ended(tenant)).toMatchObject({ state: 'completed', audioMs: Math.ceil(pcm.length / 16) });
  for (const other of started) await other.stop();
});

test('if a worker crashes while Redis is unavailable, its stream continues on another worker afterwards, and no text is lost', async () => {
  const { tenant, stream } = await startSession(gateway);
  const second = await startWorker(redis.url, prefix);
  await redis.kill();
  await worker.stop('SIGKILL');
  stream.send({ type: 'flush' });
  // Long enough for the gateway to notice that Redis and the worker have failed.
  await pause(1000);
  await redis.restart();
  await connected(ledger.link);
  const replayed = await stream.next('final', 60_000);
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  expect(await stream.next('final', 30_000)).toMatchObject({ text: replayed.text, utterance: 2 });
  expect(stream.events.filter(({ type }) => type === 'final')).toHaveLength(2);
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  expect(await ended(tenant)).toMatchObject({ state: 'completed', audioMs: Math.ceil(pcm.length / 16) });
  worker = second;
});
