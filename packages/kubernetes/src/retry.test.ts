import { KubernetesError } from './kubernetes-error.ts';
import { isPassing, nextTryMs } from './retry.ts';

const options = { tries: 3, baseMs: 100, maxMs: 1000 };
const error = (status: number, retryAfterMs?: number) =>
  new KubernetesError(status, 'x', 'x', retryAfterMs === undefined ? {} : { retryAfterMs });

test.each([0, 429, 500, 502, 503, 504])('%i passes and is tried again, the last try excepted', (status) => {
  expect(isPassing(error(status))).toBe(true);
  expect(nextTryMs(error(status), 1, options, 0.999_999)).toBeCloseTo(100, 2);
  expect(nextTryMs(error(status), 2, options, 0)).toBe(100);
  expect(nextTryMs(error(status), 3, options, 0)).toBeUndefined();
});

test.each([400, 401, 403, 404, 409, 410, 422])('%i is an answer and is not tried again', (status) => {
  expect(nextTryMs(error(status), 1, options, 0)).toBeUndefined();
});

test('what is no answer of the API server is not tried again', () => {
  expect(nextTryMs(new TypeError('x'), 1, options, 0)).toBeUndefined();
});

test('the server is given the time that it asks for, unless that is too long to wait here', () => {
  expect(nextTryMs(error(429, 700), 1, options, 0)).toBe(700);
  expect(nextTryMs(error(429, 10), 1, options, 0)).toBe(50);
  expect(nextTryMs(error(429, 1001), 1, options, 0)).toBeUndefined();
});
