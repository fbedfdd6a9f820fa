import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AsrSession, UsageSession } from '@svc-asr/core';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { parseKeyring } from '@svc-asr/runtime';
import { readCredential } from '../../gateway/src/sessions/credential.ts';
import { connected } from '../support/connected.ts';
import { eventually } from '../support/eventually.ts';
import { balanceOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const TTL_MS = 8000;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const OWNER = { id: 'the gateway of this test', epoch: 1 };

let service: Service;
let ledger: Ledger;
beforeAll(async () => {
  service = await startService({ env: { SESSION_TTL_MS: String(TTL_MS) } });
  const link = await connected(connectRedis({ url: service.redisUrl, name: 'test', timeoutMs: 5000 }));
  // The test itself activates and ends sessions in the ledger, in place of a stream.
  ledger = createLedger(link, { prefix: 'svc' });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await ledger.link.close();
  await stopServices();
}, START_TIMEOUT_MS);

/** Connects a session in the ledger, as the handshake of a stream does. */
async function connectStream(tenant: string, session: AsrSession): Promise<void> {
  const secrets = parseKeyring(readFileSync(join(service.home, 'secrets', 'session-secrets.json'), 'utf8'));
  const { hash: credentialHash } = readCredential(secrets, session.websocket_protocols[1], session.id)!;
  const request = { tenant, sessionId: session.id, credentialHash, owner: OWNER, connectionId: randomUUID() };
  expect(await ledger.sessions.connect(request)).toMatchObject({ outcome: 'ok' });
}

async function newest(key: string): Promise<UsageSession> {
  return balanceOf(await service.usage(key)).recent_sessions[0]!;
}

test('the balance of a new account is the granted amount', async () => {
  const { key } = await service.tenant({ seconds: 1234 });
  expect(balanceOf(await service.usage(key))).toStrictEqual({
    object: 'credit_balance',
    unit: 'audio_millisecond',
    available_ms: 1_234_000,
    reserved_ms: 0,
    consumed_ms: 0,
    recent_sessions: [],
  });
});

test.concurrent('a reserved session that is never connected expires, and its credit is returned', async () => {
  const { key } = await service.tenant({ seconds: 1000 });
  const { id, expires_at } = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: 100 }));
  const reserved = balanceOf(await service.usage(key));
  expect(reserved).toMatchObject({ available_ms: 900_000, reserved_ms: 100_000, consumed_ms: 0 });
  expect(reserved.recent_sessions).toStrictEqual([
    {
      id,
      model: KIKUYU,
      status: 'reserved',
      audio_ms: 0,
      billable_ms: 0,
      created_at: expect.stringMatching(DATE_TIME),
      completed_at: null,
    },
  ]);
  const expired = await eventually('the session has expired', TTL_MS + 30_000, async () => {
    const balance = balanceOf(await service.usage(key));
    return balance.recent_sessions[0]?.status === 'expired' && balance;
  });
  expect(expired).toMatchObject({ available_ms: 1_000_000, reserved_ms: 0, consumed_ms: 0 });
  const [session] = expired.recent_sessions;
  expect(session).toMatchObject({ id, audio_ms: 0, billable_ms: 0, completed_at: expect.stringMatching(DATE_TIME) });
  expect(Date.parse(session!.completed_at!)).toBeGreaterThanOrEqual(Date.parse(expires_at));
});

test('an active session completes and its audio is charged, rounded up to the second', async () => {
  const { key, name } = await service.tenant({ seconds: 100 });
  const session = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: 40 }));
  await connectStream(name, session);
  expect(await newest(key)).toMatchObject({ id: session.id, status: 'active', completed_at: null });
  await ledger.sessions.settle(name, session.id, OWNER, 2 * 16_000 + 1, 'the client closed');
  const balance = balanceOf(await service.usage(key));
  expect(balance).toMatchObject({ available_ms: 97_000, reserved_ms: 0, consumed_ms: 3000 });
  expect(balance.recent_sessions).toEqual([
    expect.objectContaining({
      id: session.id,
      status: 'completed',
      audio_ms: 2001,
      billable_ms: 3000,
      completed_at: expect.stringMatching(DATE_TIME),
    }),
  ]);
});

test.concurrent('an active session does not expire', async () => {
  const { key, name } = await service.tenant({ seconds: 100 });
  const session = sessionOf(await service.create(key));
  await connectStream(name, session);
  await new Promise((resolve) => setTimeout(resolve, Date.parse(session.expires_at) - Date.now() + 1500));
  expect(balanceOf(await service.usage(key))).toMatchObject({ reserved_ms: 60_000, available_ms: 40_000 });
  expect((await newest(key)).status).toBe('active');
});

test('a failed session reports the audio that it accepted and costs nothing', async () => {
  const { key, name } = await service.tenant({ seconds: 100 });
  const session = sessionOf(await service.create(key));
  await connectStream(name, session);
  await ledger.sessions.fail(name, session.id, OWNER, 16_000, 'the stream was lost');
  expect(await newest(key)).toMatchObject({ status: 'failed', audio_ms: 1000, billable_ms: 0 });
  expect(balanceOf(await service.usage(key))).toMatchObject({ available_ms: 100_000, consumed_ms: 0, reserved_ms: 0 });
});

test('recent sessions are the 20 newest, newest first', async () => {
  const { key } = await service.tenant({ seconds: 10_000 });
  const ids: string[] = [];
  for (let count = 0; count < 19; count++) ids.unshift(sessionOf(await service.create(key)).id);
  const listed = async () => balanceOf(await service.usage(key)).recent_sessions.map(({ id }) => id);
  await expect(listed()).resolves.toEqual(ids);
  for (let count = 0; count < 3; count++) {
    ids.unshift(sessionOf(await service.create(key)).id);
    await expect(listed()).resolves.toEqual(ids.slice(0, 20));
  }
});

test('GET /v1/usage returns the monthly budget, and a refusal because of missing credit names the day on which the budget renews', async () => {
  const { key, name } = await service.tenant({ seconds: 0, budgetSeconds: 20 });
  const before = balanceOf(await service.usage(key));
  const renewsAt = before.budget?.renews_at ?? '';
  expect(before).toMatchObject({ available_ms: 20_000, budget: { monthly_ms: 20_000, remaining_ms: 20_000 } });
  expect(renewsAt).toMatch(/^\d{4}-\d\d-01T00:00:00.000Z$/);
  const session = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: 300 }));
  expect(session.credits).toEqual({ unit: 'audio_second', reserved: 20, remaining: 0 });
  await connectStream(name, session);
  await ledger.sessions.settle(name, session.id, OWNER, 16_000 * 20, 'the client closed');
  const after = balanceOf(await service.usage(key));
  expect(after).toMatchObject({ available_ms: 0, consumed_ms: 20_000, budget: { remaining_ms: 0 } });
  const refused = await service.create(key);
  expect(refusal(refused)).toBe('insufficient_credits');
  expect(refused.text).toContain(`The monthly budget renews on ${renewsAt.slice(0, 10)} at 00:00 UTC.`);
});

test('a refused request creates no session', async () => {
  const { key } = await service.tenant({ seconds: 60, limits: { concurrentSessions: 1 } });
  const { id } = sessionOf(await service.create(key));
  expect(refusal(await service.create(key))).toBe('concurrency_limit_exceeded');
  expect(refusal(await service.create(key, { model: 'none' }))).toBe('model_not_found');
  expect(refusal(await service.create(key, {}))).toBe('invalid_parameters');
  expect(balanceOf(await service.usage(key)).recent_sessions.map((session) => session.id)).toEqual([id]);
});

test('available, reserved and consumed credit always add up to the granted amount', async () => {
  const { key, name } = await service.tenant({ seconds: 500 });
  const sums: Promise<number>[] = [];
  const sumCredit = async () => {
    const { available_ms, reserved_ms, consumed_ms } = balanceOf(await service.usage(key));
    return available_ms + reserved_ms + consumed_ms;
  };
  for (let round = 0; round < 10; round++) {
    sums.push(sumCredit(), sumCredit());
    const session = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: 30 }));
    sums.push(sumCredit());
    await connectStream(name, session);
    sums.push(sumCredit());
    await ledger.sessions.settle(name, session.id, OWNER, 16_000 * round, 'the client closed');
  }
  expect(new Set(await Promise.all(sums))).toEqual(new Set([500_000]));
  expect(balanceOf(await service.usage(key)).consumed_ms).toBe(45_000);
});

test('GET /v1/usage requires a key, HEAD is supported, and POST is refused with 405', async () => {
  const { key } = await service.tenant();
  expect((await service.request('HEAD', '/v1/usage', { key })).status).toBe(200);
  expect(refusal(await service.request('GET', '/v1/usage'))).toBe('missing_api_key');
  const refused = await service.request('POST', '/v1/usage', { key });
  expect(refusal(refused)).toBe('method_not_allowed');
  expect(refused.headers.allow).toBe('GET, HEAD');
});
