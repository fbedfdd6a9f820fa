import { randomUUID } from 'node:crypto';
import type { TestTenant } from '../support/admin.ts';
import { balanceOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';

let service: Service;
let one: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);
beforeEach(async () => {
  const limits = { concurrentSessions: 1, sessionsPerMinute: 2, requestsPerMinute: 6 };
  [one, other] = await Promise.all([
    service.tenant({ seconds: 100, limits }),
    service.tenant({ seconds: 300, limits }),
  ]);
});

const balance = async ({ key }: TestTenant) => balanceOf(await service.usage(key));

test('each of two tenants sees only its own sessions and balance', async () => {
  const session = sessionOf(await service.create(one.key));
  expect(await balance(other)).toMatchObject({ available_ms: 300_000, reserved_ms: 0, recent_sessions: [] });
  const theirs = sessionOf(await service.create(other.key));
  expect(theirs.id).not.toBe(session.id);
  expect(await balance(one)).toMatchObject({ available_ms: 40_000, recent_sessions: [{ id: session.id }] });
  expect(await balance(other)).toMatchObject({ available_ms: 240_000, recent_sessions: [{ id: theirs.id }] });
});

test('an Idempotency-Key is scoped to its tenant', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const session = sessionOf(await service.create(one.key, { model: KIKUYU }, headers));
  const theirs = sessionOf(await service.create(other.key, { model: KIKUYU, max_audio_seconds: 7 }, headers));
  expect(theirs.id).not.toBe(session.id);
  expect(theirs.websocket_protocols[1]).not.toBe(session.websocket_protocols[1]);
  expect(sessionOf(await service.create(one.key, { model: KIKUYU }, headers))).toStrictEqual(session);
});

test('keys of one tenant share its Idempotency-Keys, sessions and limits', async () => {
  const second = await service.admin.key(one.name);
  const headers = { 'idempotency-key': randomUUID() };
  const session = sessionOf(await service.create(one.key, { model: KIKUYU }, headers));
  expect(sessionOf(await service.create(second, { model: KIKUYU }, headers))).toStrictEqual(session);
  expect(refusal(await service.create(second))).toBe('concurrency_limit_exceeded');
  expect(balanceOf(await service.usage(second)).recent_sessions).toMatchObject([{ id: session.id }]);
});

test('the limits of one tenant do not affect another', async () => {
  sessionOf(await service.create(one.key));
  expect(refusal(await service.create(one.key))).toBe('concurrency_limit_exceeded');
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.usage(one.key)));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  sessionOf(await service.create(other.key));
  expect((await service.usage(other.key)).headers.ratelimit).toMatch(/^"requests";r=4;/);
});

test('suspending or deleting one tenant does not affect another', async () => {
  const { id } = sessionOf(await service.create(other.key));
  sessionOf(await service.create(one.key));
  await service.admin.change(one.name, { state: 'Suspended' });
  await service.admin.call('DELETE', `/tenants/${one.name}`);
  expect(await balance(other)).toMatchObject({
    available_ms: 240_000,
    reserved_ms: 60_000,
    recent_sessions: [{ id, status: 'reserved' }],
  });
});

test('a tenant that is deleted and recreated keeps its account, and its sessions have failed', async () => {
  const { id } = sessionOf(await service.create(one.key));
  await service.admin.call('DELETE', `/tenants/${one.name}`);
  await service.admin.change(one.name, { seconds: 100 });
  const key = await service.admin.key(one.name);
  expect(balanceOf(await service.usage(key))).toMatchObject({
    available_ms: 100_000,
    reserved_ms: 0,
    consumed_ms: 0,
    recent_sessions: [{ id, status: 'failed', billable_ms: 0, completed_at: expect.any(String) }],
  });
});
