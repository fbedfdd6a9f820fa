import type { Ledger } from '@svc-asr/ledger';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { parseKeyring } from '@svc-asr/runtime';
import { readCredential } from '../../gateway/src/sessions/credential.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { MODEL, ownPrefix, postSession, seedCatalogue, seedTenant, SESSION_SECRETS } from '../support/gateway.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { connected } from '../support/connected.ts';
import { openLedger } from '../support/ledger.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';

const prefix = ownPrefix();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let redis: TestRedis;
let proxy: CuttingProxy;
let ledger: Ledger;
let gateway: TestGateway;

beforeAll(async () => {
  redis = await startRedis();
  proxy = await startCuttingProxy(redis.port);
  // The test itself connects to Redis without the proxy.
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  gateway = await startGateway(`redis://127.0.0.1:${proxy.port}`, prefix);
});
afterAll(async () => {
  await gateway.stop();
  await ledger.link.close();
  await proxy.stop();
  await redis.stop();
});

/** Checks that requests that need Redis get 503, and that other requests get their usual status. */
async function expectUnavailable(key: string): Promise<void> {
  const usage = () => fetch(`${gateway.baseUrl}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
  const [created, used] = await Promise.all([postSession(gateway, key), usage()]);
  for (const { status, headers } of [created, used]) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  expect(created.body.error!.code).toBe('service_unavailable');
  for (const path of ['/v1/models', '/openapi.json', '/asyncapi.json', '/docs']) {
    expect((await fetch(gateway.baseUrl + path)).status).toBe(200);
  }
  expect((await fetch(`${gateway.baseUrl}/nothing`)).status).toBe(404);
  expect((await fetch(`${gateway.baseUrl}/v1/usage`)).status).toBe(401);
  expect((await fetch(`${gateway.adminUrl}/livez`)).status).toBe(200);
}

async function expectBack(key: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { status } = await postSession(gateway, key);
    if (status === 201) return;
    if (Date.now() > deadline) throw new Error(`the status is still ${status}`);
    await pause(50);
  }
}

test('while Redis is down, requests that need Redis get 503, other requests work, and no acknowledged write is lost', async () => {
  const { tenant, key } = await seedTenant(ledger, 3_600_000, { concurrentSessions: 1000 });
  const owner = { id: 'g', epoch: 1 };
  for (let round = 0; round < 3; round++) {
    await ledger.accounts.grant(tenant, `round-${round}`, 1000);
    const ids: string[] = [];
    const charged: string[] = [];
    const enough = 20 + Math.random() * 40;
    let isUp = true;
    // Redis crashes while requests are in flight.
    const work = async () => {
      while (isUp) {
        const { status, body } = await postSession(gateway, key);
        // On a busy machine a request can get 503 although Redis is up.
        if (status !== 201) continue;
        const mayEnd = await chargeSome(tenant, body, owner, charged);
        if (mayEnd) ids.push(body.id!);
        if (ids.length <= enough || charged.length === 0) continue;
        isUp = false;
        await redis.kill();
      }
    };
    await Promise.all([work(), work(), work()]);
    await expectUnavailable(key);
    await redis.restart();
    await connected(ledger.link);
    await expectBack(key);
    const { reservedMs, consumedMs, availableMs, grantedMs } = (await ledger.accounts.read(tenant))!;
    expect(availableMs + reservedMs + consumedMs).toBe(grantedMs);
    expect(await ledger.accounts.grant(tenant, `round-${round}`, 1000)).toMatchObject({ applied: false });
    expect(charged.length).toBeGreaterThan(0);
    for (const id of charged) {
      // Every acknowledged settlement is still recorded, so the session cannot be settled a second time.
      expect(await ledger.sessions.settle(tenant, id, owner, 99_000, 'again')).toMatchObject({
        outcome: 'already',
        billableMs: 2000,
      });
    }
    for (const id of ids) {
      // Every acknowledged reservation is still recorded, so the test can end its session as failed exactly once.
      expect(await ledger.sessions.fail(tenant, id, undefined, 0, 'test')).toMatchObject({
        outcome: 'ok',
        state: 'failed',
      });
    }
  }
});

test('while Redis is frozen, requests that need Redis get 503, and other requests work', async () => {
  const { key } = await seedTenant(ledger, 3_600_000, { concurrentSessions: 1000 });
  await expectBack(key);
  await freeze(redis.pid);
  try {
    await expectUnavailable(key);
    await expectUnavailable(key);
  } finally {
    thaw(redis.pid);
  }
  await expectBack(key);
});

test('a reply that is lost between Redis and the gateway leaves no reservation behind', async () => {
  const tenants = await Promise.all(
    Array.from({ length: 8 }, () => seedTenant(ledger, 36_000_000, { concurrentSessions: 1000 })),
  );
  const answered = new Map<string, Set<string>>(tenants.map(({ tenant }) => [tenant, new Set()]));
  let refused = 0;
  proxy.cutAfter(() => 100 + Math.random() * 1500);
  await Promise.all(
    tenants.map(async ({ tenant, key }) => {
      for (let i = 0; i < 40; i++) {
        const headers: Record<string, string> = i % 2 === 0 ? {} : { 'Idempotency-Key': `k${Math.floor(i / 4)}` };
        const { status, body } = await postSession(gateway, key, { model: MODEL, max_audio_seconds: 5 }, headers);
        if (status === 201) answered.get(tenant)!.add(body.id!);
        else if (status === 503) refused++;
        else throw new Error(`unexpected ${status}: ${JSON.stringify(body)}`);
        if (status === 503) await pause(20);
      }
    }),
  );
  expect(proxy.cuts).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(20);
  proxy.cutAfter(undefined);
  await untilNothingIsPending();
  for (const { tenant } of tenants) {
    const { liveSessions, reservedMs } = (await ledger.accounts.read(tenant))!;
    expect({ tenant, liveSessions }).toEqual({ tenant, liveSessions: answered.get(tenant)!.size });
    expect(reservedMs).toBe(liveSessions * 5000);
  }
});

/** Connects and settles the session with a probability of one third. Returns true if the session stays reserved. */
async function chargeSome(
  tenant: string,
  { id: sessionId = '', websocket_protocols: protocols }: { id?: string; websocket_protocols?: string[] },
  owner: { id: string; epoch: number },
  charged: string[],
): Promise<boolean> {
  if (Math.random() < 0.67) return true;
  const { hash } = readCredential(parseKeyring(SESSION_SECRETS), protocols![1]!, sessionId)!;
  try {
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: hash, owner, connectionId: sessionId });
    const { outcome } = await ledger.sessions.settle(tenant, sessionId, owner, 16_001, 'test');
    if (outcome === 'ok') charged.push(sessionId);
  } catch (error) {
    // Redis did not acknowledge the settlement, so it is unknown whether the session was settled.
    if (!(error instanceof LedgerUnavailable)) throw error;
  }
  return false;
}

async function untilNothingIsPending(): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    if (/^svc_asr_pending_cancellations\S* 0$/m.test(metrics)) return;
    if (Date.now() > deadline) throw new Error('cancellations are still pending');
    await pause(50);
  }
}
