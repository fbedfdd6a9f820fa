import fc from 'fast-check';
import { KubernetesError } from '@svc-asr/kubernetes';
import { decidePace, whyRelist } from './pace.ts';
import type { Turn } from './pace.ts';

const options = { backoff: { baseMs: 100, maxMs: 5000 }, shortestWatchMs: 1000 };
const pace = (turn: Turn, failures = 0, random = 0.999_999) => decidePace(turn, failures, options, random);
const error = new KubernetesError(0, 'ECONNRESET', 'cut');

test('a watch that lasted the requested time without an event is restarted at once', () => {
  expect(pace({ watchedMs: 300_000, events: 0 }, 5)).toEqual({ failures: 0, waitMs: 0 });
});

test('a watch that received events and ended early is restarted when the minimum time since its start has passed', () => {
  expect(pace({ watchedMs: 400, events: 3 }, 5)).toEqual({ failures: 0, waitMs: 600 });
});

test('watches that end early without events are restarted after growing delays', () => {
  const waits = [1, 2, 3, 4].map((failures) => pace({ watchedMs: 2000 / 1e6, events: 0 }, failures + 3).waitMs);
  expect(waits.map(Math.round)).toEqual([1600, 3200, 5000, 5000]);
});

test('a watch that fails after it received events is restarted after the first backoff', () => {
  expect(pace({ error, watchedMs: 60_000, events: 10 }, 5)).toEqual({ failures: 1, waitMs: expect.closeTo(100, 1) });
});

test('after three consecutive watches that did not start, the wait is the third backoff, or Retry-After if that is longer', () => {
  expect(pace({ error, watchedMs: 0, events: 0 }, 2).waitMs).toBeCloseTo(400, 1);
  const busy = new KubernetesError(429, 'TooManyRequests', 'busy', { retryAfterMs: 7000 });
  expect(pace({ error: busy, watchedMs: 0, events: 0 }, 2)).toEqual({ failures: 3, waitMs: 7000 });
});

test('for any sequence of failures, the API server is not polled in a hot loop', () => {
  const turn = fc.record({
    error: fc.constantFrom(
      undefined,
      error,
      new KubernetesError(410, 'Expired', 'x'),
      new KubernetesError(500, 'x', 'x'),
    ),
    watchedMs: fc.constantFrom(0, 1, 50, 999),
    events: fc.constantFrom(0, 0, 0, 1, 100),
  });
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 200, maxLength: 200 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (turns, random) => {
        let failures = 0;
        let passedMs = 0;
        for (const { error: why, ...rest } of turns) {
          const next = decidePace({ ...rest, ...(why && { error: why }) }, failures, options, random);
          ({ failures } = next);
          passedMs += rest.watchedMs + next.waitMs;
        }
        expect(turns.length / (passedMs / 1000)).toBeLessThan(20);
      },
    ),
  );
});

test.each([
  [new KubernetesError(410, 'Expired', 'x'), 1, 'expired'],
  [new KubernetesError(500, 'InternalError', 'x'), 2, undefined],
  [new KubernetesError(504, 'Timeout', 'Too large resource version'), 3, 'failures'],
  [new KubernetesError(504, 'Timeout', 'Too large resource version'), 4, undefined],
  [error, 100, undefined],
  [undefined, 0, undefined],
])('whyRelist after %s and %i failures returns %s', (why, failures, expected) => {
  expect(whyRelist(why, failures)).toBe(expected);
});
