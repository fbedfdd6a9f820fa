import { SvcAsrError, SvcAsrUnreachable } from './error.ts';
import { pause, retryWaitMs } from './retry.ts';

const policy = { maxRetries: 3, maxWaitMs: 60_000 };
const refusal = (status: number, code = 'x', retryAfterS?: number) =>
  new SvcAsrError('no', { status, type: 'x', code, requestId: undefined, retryAfterS });

test.each([
  [refusal(429, 'rate_limit_exceeded'), true],
  [refusal(429, 'concurrency_limit_exceeded'), false],
  [refusal(503), true],
  [refusal(502), true],
  [refusal(504), true],
  [refusal(500), false],
  [refusal(402), false],
  [new SvcAsrUnreachable('unavailable'), true],
  [new TypeError('a fault of the caller'), false],
])('retryWaitMs of %s allows a retry: %s', (error, repeated) => {
  expect(retryWaitMs(error, 1, policy, 0) !== undefined).toBe(repeated);
});

test('retryWaitMs doubles the wait, respects Retry-After and adds a random part', () => {
  const waits = [1, 2, 3].map((failures) => retryWaitMs(refusal(503), failures, policy, 0));
  expect(waits).toEqual([250, 500, 1000]);
  expect(retryWaitMs(refusal(503), 1, policy, 0.999)).toBe(500);
  expect(retryWaitMs(refusal(503, 'x', 7), 1, policy, 0)).toBe(7000);
  expect(retryWaitMs(refusal(503), 30, { ...policy, maxRetries: 99 }, 0.999)).toBe(7996);
});

test('retryWaitMs is undefined after the last retry or if Retry-After is too long', () => {
  expect(retryWaitMs(refusal(503), 3, policy, 0)).toBeDefined();
  expect(retryWaitMs(refusal(503), 4, policy, 0)).toBeUndefined();
  expect(retryWaitMs(refusal(503, 'x', 60), 1, policy, 0)).toBe(60_000);
  expect(retryWaitMs(refusal(503, 'x', 61), 1, policy, 0)).toBeUndefined();
  expect(retryWaitMs(refusal(503), 1, { ...policy, maxRetries: 0 }, 0)).toBeUndefined();
});

test('pause() rejects with the reason of the signal when the signal is aborted', async () => {
  const controller = new AbortController();
  const paused = pause(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(paused).rejects.toThrow('enough');
  await expect(pause(60_000, controller.signal)).rejects.toThrow('enough');
});
