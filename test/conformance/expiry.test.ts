import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { balanceOf, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const LIFETIME_MS = 60_000;
/** Long enough for a busy machine. `defaults.test.ts` computes how fast an idle one is. */
const RETURNED_WITHIN_MS = 30_000;
/** Time before the expiry that a busy machine needs for the last checks of the reserved session. */
const LAST_CHECKS_MS = 10_000;

let service: Service;
beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

test('with default settings a session lives 60 seconds and its credit is returned afterwards', async () => {
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

/** Returns the answer to a WebSocket handshake with a session's credential, over TLS. */
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
