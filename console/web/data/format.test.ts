import { formatAudio, formatExactAudio, formatRelative, plural } from './format.ts';

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [61_000, '1 min 1 s'],
  [120_000, '2 min'],
  [7_200_000, '2 h'],
  [7_500_000, '2 h 5 min'],
  [4_000_000_000, '1,111 h 6 min'],
])('formatAudio shows %i ms as %s', (ms, text) => {
  expect(formatAudio(ms)).toBe(text);
});

test.each([
  [8440, '8.44 s'],
  [9000, '9 s'],
  [61_200, '1 min 1 s'],
])('formatExactAudio shows %i ms as %s', (ms, text) => {
  expect(formatExactAudio(ms)).toBe(text);
});

test.each([
  ['2026-01-02T00:00:30Z', 'now'],
  ['2026-01-01T23:55:00Z', '5 minutes ago'],
  ['2026-01-02T03:00:00Z', 'in 3 hours'],
  ['2026-01-05T00:00:00Z', 'in 3 days'],
])('formatRelative shows the time %s as "%s" if the current time is 2026-01-02T00:00:00Z', (iso, text) => {
  expect(formatRelative(iso, Date.parse('2026-01-02T00:00:00Z'))).toBe(text);
});

test('plural() selects the singular or plural text for a number and inserts the number into the text', () => {
  const forms = { one: '{n} session', other: '{n} sessions' };
  expect([0, 1, 2000].map((count) => plural(count, forms))).toEqual(['0 sessions', '1 session', '2,000 sessions']);
});
