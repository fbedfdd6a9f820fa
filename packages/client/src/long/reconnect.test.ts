import type { AsrSession } from '@svc-asr/core';
import { SvcAsrError } from '../error.ts';
import { adviceAfterClose, adviceAfterRefusal } from '../stream/advice.ts';
import { reconnectWaitMs, waitForPlace } from './reconnect.ts';

const closed = (code: number, reason = '') => ({ code, reason, advice: adviceAfterClose(code, reason) });
const refused = (status: number, code: string, retryAfterS?: number) => {
  const error = new SvcAsrError('No.', { status, type: 't', code, requestId: undefined, retryAfterS });
  return { code: 1006, reason: '', advice: adviceAfterRefusal(error), error };
};

test.each([1001, 1006, 1011])(
  'reconnectWaitMs is 0 after the first failure with close code %i, and grows to 8 s with further failures',
  (code) => {
    expect([1, 2, 3, 9].map((failures) => reconnectWaitMs(closed(code), failures, 1))).toEqual([0, 2000, 4000, 8000]);
  },
);

test('reconnectWaitMs is at least the time that the service requires', () => {
  expect(reconnectWaitMs(closed(4503), 1, 0)).toBe(500);
  expect(reconnectWaitMs(refused(503, 'no_capacity', 30), 1, 0)).toBe(30_000);
});

test('reconnectWaitMs is undefined if another session would end in the same way, and 0 after a session that ended normally or at a limit', () => {
  const ends = [closed(1009), closed(4400), closed(4403), closed(4408), closed(1000, 'cancelled')];
  for (const end of [...ends, refused(402, 'insufficient_credits')]) {
    expect(reconnectWaitMs(end, 1, 0)).toBeUndefined();
  }
  for (const reason of ['', 'audio_limit_reached', 'session_time_limit']) {
    expect(reconnectWaitMs(closed(1000, reason), 1, 0)).toBe(0);
  }
});

test('waitForPlace retries after concurrency_limit_exceeded and throws other errors', async () => {
  const taken = refused(429, 'concurrency_limit_exceeded', 1).error;
  let calls = 0;
  const session = {} as AsrSession;
  const create = () => (++calls < 3 ? Promise.reject(taken) : Promise.resolve(session));
  expect(await waitForPlace(create, undefined)).toBe(session);
  expect(calls).toBe(3);
  const limited = refused(429, 'rate_limit_exceeded', 1).error;
  await expect(waitForPlace(() => Promise.reject(limited), undefined)).rejects.toBe(limited);
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(waitForPlace(() => Promise.reject(taken), aborted)).rejects.toThrow('enough');
});
