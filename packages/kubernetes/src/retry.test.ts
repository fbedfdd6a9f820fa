import { KubernetesError } from './kubernetes-error.ts';
import { isTemporary, retryDelayMs } from './retry.ts';

const options = { tries: 3, baseMs: 100, maxMs: 1000 };
const error = (status: number, retryAfterMs?: number) =>
  new KubernetesError(status, 'x', 'x', retryAfterMs === undefined ? {} : { retryAfterMs });

test.each([0, 429, 500, 502, 503, 504])(
  'retryDelayMs returns a delay for status %i, but undefined after the last attempt',
  (status) => {
    expect(isTemporary(error(status))).toBe(true);
    expect(retryDelayMs(error(status), 1, options, 0.999_999)).toBeCloseTo(100, 2);
    expect(retryDelayMs(error(status), 2, options, 0)).toBe(100);
    expect(retryDelayMs(error(status), 3, options, 0)).toBeUndefined();
  },
);

test.each([400, 401, 403, 404, 409, 410, 422])('retryDelayMs returns undefined (no retry) for status %i', (status) => {
  expect(retryDelayMs(error(status), 1, options, 0)).toBeUndefined();
});

test('retryDelayMs returns undefined (no retry) for an error that is not from the API server', () => {
  expect(retryDelayMs(new TypeError('x'), 1, options, 0)).toBeUndefined();
});

test('retryDelayMs returns at least the delay that the server requests, or undefined (no retry) if that delay exceeds the maximum', () => {
  expect(retryDelayMs(error(429, 700), 1, options, 0)).toBe(700);
  expect(retryDelayMs(error(429, 10), 1, options, 0)).toBe(50);
  expect(retryDelayMs(error(429, 1001), 1, options, 0)).toBeUndefined();
});
