import { noisyMinutes, noisyRanges, periodTags } from './periods.ts';

const periods = { startMs: 1000, seconds: 10, count: 4 };

test('periodTags tags four periods as first quiet, first noisy, second quiet and second noisy', () => {
  const tags = [2000, 12_000, 22_000, 32_000].map((ms) => Object.values(periodTags(periods, ms)).join(' '));
  expect(tags).toEqual(['quiet first', 'noisy first', 'quiet second', 'noisy second']);
});

test('periodTags returns empty tags outside of the periods and in the first second of each period', () => {
  const periodAt = (ms: number) => periodTags(periods, ms).period;
  expect([0, 999, 1999, 2000, 10_999, 11_999, 12_000, 40_999, 41_000, 42_500].map(periodAt)).toEqual([
    ...['', '', '', 'quiet', 'quiet'],
    ...['', 'noisy', 'noisy', '', ''],
  ]);
});

test('of four periods, noisyRanges returns the second and the fourth', () => {
  expect(noisyRanges(periods)).toEqual([
    { startMs: 11_000, endMs: 21_000 },
    { startMs: 31_000, endMs: 41_000 },
  ]);
  expect(noisyMinutes(periods)).toBeCloseTo(20 / 60);
});
