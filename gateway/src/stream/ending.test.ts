import { cancelled, closedByClient, PROTOCOL_VIOLATION, sessionEnd } from './ending.ts';
import type { Ending } from './ending.ts';

const ending = (reason: Ending['reason'], code: Ending['code']): Ending => ({ outcome: 'completed', code, reason });

test.each([
  [closedByClient(true, 1000), 'client_closed', 1000],
  [closedByClient(false, 4000), 'client_closed', 4000],
  [closedByClient(true, 1006), 'connection_lost', 1006],
  [PROTOCOL_VIOLATION, 'client_error', 4400],
  [ending('frame_too_large', 1009), 'client_error', 1009],
  [ending('rate_limited', 4400), 'client_error', 4400],
  [ending('idle_timeout', 4408), 'idle_timeout', 4408],
  [ending('account_suspended', 4403), 'account_suspended', 4403],
  [ending('cancelled', 1000), 'cancelled', 1000],
  [ending('audio_limit_reached', 1000), 'audio_limit_reached', 1000],
  [ending('session_time_limit', 1000), 'session_time_limit', 1000],
  [ending('no_capacity', 4503), 'no_capacity', 4503],
  [ending('draining', 1001), 'draining', 1001],
  [ending('internal_error', 1011), 'service_error', 1011],
] as const)('sessionEnd of the ending %j has the reason %s and the close code %i', (end, reason, closeCode) => {
  expect(sessionEnd(end)).toEqual({ reason, closeCode });
});

test('cancelled() returns an ending that is charged, unless the stream was already ending free of charge', () => {
  const draining = { ...ending('draining', 1001), outcome: 'failed' } as const;
  expect(cancelled(undefined)).toEqual({ outcome: 'completed', code: 1000, reason: 'cancelled' });
  expect(cancelled(ending('audio_limit_reached', 1000)).outcome).toBe('completed');
  expect(cancelled(draining).outcome).toBe('failed');
});
