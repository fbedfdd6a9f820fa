import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { balanceOf, errorOf, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const LIFETIME_MS = 60_000;
/**
 * Longest time from the expiry of a session to the return of its credit in this test. It is longer than the documented
 * time limit, because the machine may be busy. `defaults.test.ts` calculates that the default settings meet that limit.
 */
const RETURNED_WITHIN_MS = 30_000;
/** Time before the expiry that a busy machine needs for the last checks of the reserved session. */
const LAST_CHECKS_MS = 10_000;

/** Lifetime that is long enough for several requests of a busy machine before a session expires. */
const TTL_MS = 8000;

/** A service with default settings. */
let service: Service;
/** A service whose sessions expire sooner than with default settings. */
let hasty: Service;
beforeAll(async () => {
  [service, hasty] = await Promise.all([startService(), startService({ env: { SESSION_TTL_MS: String(TTL_MS) } })]);
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

test.concurrent('with default settings, a session that is not connected expires after 60 seconds and its credit is returned', async () => {
  const create = (key: string, idempotencyKey: string) =>
    service.create(key, { model: KIKUYU }, { 'idempotency-key': idempotencyKey });
  const [silent, asking] = await Promise.all([service.tenant({ seconds: 100 }), service.tenant({ seconds: 100 })]);
  const idempotencyKey = randomUUID();
  const createdAfterMs = Date.now();
  const first = sessionOf(await create(silent.key, idempotencyKey));
  const watched = sessionOf(await create(asking.key, idempotencyKey));
  const expiresAtMs = Date.parse(first.expires_at);
  expect(expiresAtMs).toBeGreaterThanOrEqual(createdAfterMs + LIFETIME_MS);
  expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + LIFETIME_MS);

  // Until it expires the session is reserved, and a repeated request returns it.
  await sleep(expiresAtMs - LAST_CHECKS_MS - Date.now());
  expect(await service.admin.account(silent.name)).toMatchObject({
    live_sessions: 1,
    credits: { reserved_ms: 60_000 },
  });
  expect(sessionOf(await create(asking.key, idempotencyKey))).toStrictEqual(watched);
  expect(balanceOf(await service.usage(asking.key)).recent_sessions).toMatchObject([{ status: 'reserved' }]);

  // The silent tenant sends no request, so the service itself returns the reservation.
  const returnedAtMs = await eventually(
    'the credit is returned',
    expiresAtMs + RETURNED_WITHIN_MS - Date.now(),
    async () => {
      const { live_sessions: live, credits } = await service.admin.account(silent.name);
      return live === 0 && credits.reserved_ms === 0 && credits.available_ms === 100_000 && Date.now();
    },
  );
  expect(returnedAtMs).toBeGreaterThanOrEqual(expiresAtMs);

  // At 61 seconds the credential of the session is refused.
  await sleep(Math.max(0, expiresAtMs + 1000 - Date.now()));
  expect(await handshakeStatus(first)).toBe(401);

  for (const [{ key }, before] of [
    [silent, first],
    [asking, watched],
  ] as const) {
    await sleep(Date.parse(before.expires_at) - Date.now() + 5);
    const after = sessionOf(await create(key, idempotencyKey));
    expect(after.id).not.toBe(before.id);
    expect(balanceOf(await service.usage(key)).recent_sessions).toMatchObject([
      { id: after.id, status: 'reserved' },
      { id: before.id, status: 'expired', audio_ms: 0, billable_ms: 0 },
    ]);
  }
});

/** Resolves when the tenant has no live session. It asks the admin API, so the tenant itself sends no request. */
async function waitUntilReturned(name: string, expiresAt: string): Promise<void> {
  const deadlineMs = Date.parse(expiresAt) + RETURNED_WITHIN_MS;
  await eventually('the reservation is returned', deadlineMs - Date.now(), async () => {
    const { live_sessions: live, credits } = await hasty.admin.account(name);
    if (live !== 0) return false;
    expect(credits.reserved_ms).toBe(0);
    return Date.now() >= Date.parse(expiresAt);
  });
}

test.concurrent('the concurrency limit refuses a second session until the first expires, even if the tenant sends no request meanwhile', async () => {
  const { key, name } = await hasty.tenant({ limits: { concurrentSessions: 1 } });
  const { expires_at: expiresAt, id } = sessionOf(await hasty.create(key));
  const refused = await hasty.create(key);
  expect(errorOf(refused)).toMatchObject({
    type: 'rate_limit_error',
    code: 'concurrency_limit_exceeded',
    message: expect.stringMatching(/^The account already has an active or reserved ASR session\. .* DELETE /),
  });
  const retryAfterS = Number(refused.headers['retry-after']);
  expect(retryAfterS).toBeGreaterThanOrEqual(1);
  expect(retryAfterS).toBeLessThanOrEqual(TTL_MS / 1000);

  await waitUntilReturned(name, expiresAt);
  expect(balanceOf(await hasty.usage(key)).recent_sessions).toMatchObject([{ id, status: 'expired' }]);
  sessionOf(await hasty.create(key));
});

test.concurrent('the concurrency limit admits a new session after the time in Retry-After', async () => {
  const { key } = await hasty.tenant({ limits: { concurrentSessions: 1 } });
  sessionOf(await hasty.create(key));
  const { headers } = await hasty.create(key);
  await sleep(Number(headers['retry-after']) * 1000);
  sessionOf(await hasty.create(key));
});

test.concurrent('the Idempotency-Key of an expired session creates a new session, also with another body', async () => {
  const { key } = await hasty.tenant();
  const headers = { 'idempotency-key': randomUUID() };
  const first = sessionOf(await hasty.create(key, { model: KIKUYU }, headers));
  expect(sessionOf(await hasty.create(key, { model: KIKUYU }, headers))).toStrictEqual(first);
  await sleep(Date.parse(first.expires_at) - Date.now() + 5);
  const second = sessionOf(await hasty.create(key, { model: KIKUYU, max_audio_seconds: 7 }, headers));
  expect(second.id).not.toBe(first.id);
  expect(second.websocket_protocols[1]).not.toBe(first.websocket_protocols[1]);
  expect(second.credits.reserved).toBe(7);
});

test.concurrent('the reservations of 40 expired sessions are all returned', async () => {
  const { key, name } = await hasty.tenant({ seconds: 3000 });
  const sessions = await Promise.all(Array.from({ length: 40 }, () => hasty.create(key)));
  const last = sessions
    .map((answer) => sessionOf(answer).expires_at)
    .toSorted()
    .at(-1)!;
  await waitUntilReturned(name, last);
  expect((await hasty.admin.account(name)).credits).toMatchObject({ available_ms: 3_000_000, consumed_ms: 0 });
});

test.concurrent('a limit of 6 requests per minute admits exactly 6 requests of a burst, and one more after Retry-After', async () => {
  // With a higher limit, further requests would be admitted while a busy machine still sends the burst.
  const { key } = await hasty.tenant({ limits: { requestsPerMinute: 6 } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => hasty.usage(key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
  const refused = answers.find(({ status }) => status === 429)!;
  await sleep(Number(refused.headers['retry-after']) * 1000);
  expect((await hasty.usage(key)).status).toBe(200);
});

/** Returns the status of a WebSocket handshake with a session's credential, over TLS. It is 101 on success. */
function handshakeStatus(session: { websocket_url: string; websocket_protocols: string[] }): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(session.websocket_url, session.websocket_protocols, { ca: service.ca });
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', reject);
  });
}
