import { buildOpenApi } from '@svc-asr/api-docs';
import { readSettings } from '@svc-asr/runtime';
import { GATEWAY_SETTINGS } from '../../gateway/src/settings.ts';
import { OPERATOR_SETTINGS } from '../../operator/src/settings.ts';

const ring = JSON.stringify({ current: 'a', secrets: { a: Buffer.alloc(32, 1).toString('base64') } });

test('gateway settings default to the documented limits and durations', () => {
  const env = {
    PUBLIC_URL: 'https://asr.example.com',
    API_KEY_PEPPERS: ring,
    SESSION_SECRETS: ring,
    WORKER_TICKET_KEY_FILE: import.meta.filename,
  };
  expect(readSettings(GATEWAY_SETTINGS, env)).toMatchObject({
    PORT: 8443,
    SESSION_TTL_MS: 60_000,
    PROVISIONAL_LEASE_MS: 5000,
    SLOT_HOLD_EXTRA_MS: 5000,
    AUTH_FAILURES_PER_SECOND: 100,
    STREAM_IDLE_MS: 30_000,
    STREAM_PING_MS: 20_000,
    STREAM_LIFETIME_EXTRA_MS: 300_000,
    WORKER_SILENCE_TIMEOUT_MS: 3000,
    PROCESS_LEASE_MS: 15_000,
    LEASE_RENEW_MS: 5000,
    TRUSTED_PROXIES: [],
  });
});

test('default intervals satisfy the documented time limits', () => {
  const settings = readSettings(GATEWAY_SETTINGS, {
    PUBLIC_URL: 'https://asr.example.com',
    API_KEY_PEPPERS: ring,
    SESSION_SECRETS: ring,
    WORKER_TICKET_KEY_FILE: import.meta.filename,
  });
  const operator = readSettings(OPERATOR_SETTINGS, {});
  // The credit of an overdue session is returned within 2 s. The check of its tenant is due up to 1.5 s after the
  // deadline. This delay is half a second of slack, plus less than a second from rounding up. The reaper starts the
  // check at most REAPER_INTERVAL_MS after it is due.
  expect(settings.REAPER_INTERVAL_MS).toBeLessThanOrEqual(400);
  // A revoked key is refused within 5 s of its revocation.
  expect(settings.KEY_CACHE_TTL_MS).toBeLessThan(5000);
  // Without Redis a request is answered with 503 within 2 s. Its last command starts before REQUEST_DEADLINE_MS and
  // takes at most REDIS_TIMEOUT_MS.
  expect(settings.REQUEST_DEADLINE_MS + settings.REDIS_TIMEOUT_MS).toBeLessThan(2000);
  // Clients see the change of a configuration file within 2 s.
  const seenAfterMs = operator.CONFIG_POLL_MS + operator.CONFIG_SETTLE_MS + settings.CATALOGUE_INTERVAL_MS;
  expect(seenAfterMs).toBeLessThan(2000);
});

test('the OpenAPI description states the default limits', () => {
  const document = buildOpenApi();
  const { AsrSession, CreateSessionRequest } = document.components.schemas;
  expect(AsrSession).toMatchObject({
    properties: { expires_at: { description: expect.stringContaining('60 seconds after creation') } },
  });
  expect(CreateSessionRequest).toMatchObject({
    properties: { max_audio_seconds: { default: 60, minimum: 1, maximum: 300 } },
    additionalProperties: false,
    required: ['model'],
  });
});
