import { DisruptionLimits } from './disruption-limits.ts';
import { countProtected } from './objects/disruption-budget.ts';

test('DisruptionLimits raises the number of protected pods at once, and lowers it only after ten seconds', () => {
  let nowMs = 0;
  const limits = new DisruptionLimits(() => nowMs);
  expect(limits.settle('m', 1)).toBe(1);
  expect(limits.settle('m', 4)).toBe(4);
  expect(limits.settle('m', 2)).toBe(4);
  nowMs = 5000;
  expect(limits.settle('m', 3)).toBe(4);
  nowMs = 9999;
  expect(limits.settle('m', 2)).toBe(4);
  nowMs = 10_000;
  // 3 is the highest number of the last ten seconds.
  expect(limits.settle('m', 1)).toBe(3);
  expect(limits.settle('m', 1)).toBe(3);
  nowMs = 20_000;
  expect(limits.settle('m', 1)).toBe(1);
  expect(limits.settle('other', 0)).toBe(0);
});

test.each([
  { ready: 4, evictable: 4, maxUnavailable: '25%', kept: 3 },
  { ready: 5, evictable: 4, maxUnavailable: '25%', kept: 3 },
  { ready: 4, evictable: 0, maxUnavailable: '25%', kept: 4 },
  { ready: 4, evictable: 2, maxUnavailable: 3, kept: 2 },
  { ready: 1, evictable: 1, maxUnavailable: '25%', kept: 0 },
  { ready: 1, evictable: 3, maxUnavailable: 9, kept: 0 },
  { ready: 4, evictable: 0, maxUnavailable: '100%', kept: undefined },
])(
  'countProtected of $ready ready pods with $evictable evictable and maxUnavailable $maxUnavailable is $kept',
  ({ ready, evictable, maxUnavailable, kept }) => {
    expect(countProtected(ready, evictable, maxUnavailable)).toBe(kept);
  },
);
