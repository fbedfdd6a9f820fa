import { isRange, readRange } from './range.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');

test.each([
  ['', { choice: '30', from: '2026-02-01', to: '2026-03-02' }],
  ['days=7', { choice: '7', from: '2026-02-24', to: '2026-03-02' }],
  ['days=401', { choice: '30', from: '2026-02-01', to: '2026-03-02' }],
  ['from=2026-01-05&to=2026-01-09', { choice: 'custom', from: '2026-01-05', to: '2026-01-09' }],
  ['from=2026-01-09&to=2026-01-05', { choice: '30', from: '2026-02-01', to: '2026-03-02' }],
])('readRange reads the query "%s" as %j', (query, range) => {
  expect(readRange(new URLSearchParams(query), NOW)).toEqual(range);
});

test.each([
  ['2025-01-01', '2026-02-04', true],
  ['2025-01-01', '2026-02-05', false],
  ['2026-02-30', '2026-03-02', false],
  ['2026-02-28', '2026-03-02', true],
  ['2026-02-28', 'x', false],
])('isRange for the days %s to %s returns %s', (from, to, isValid) => {
  expect(isRange(from, to)).toBe(isValid);
});
