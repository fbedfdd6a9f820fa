import { formatDuration, formatTime } from './duration.ts';
import { parseExpiry, parseWhole } from './expiry.ts';
import { createOutput } from './output.ts';
import { formatTable } from './table.ts';

test.each([
  [0, '0s'],
  [99, '0s'],
  [100, '0.1s'],
  [12_000, '12s'],
  [59_999, '59.9s'],
  [60_000, '1m 0s'],
  [3_599_999, '59m 59s'],
  [3_600_000, '1h 0m 0s'],
  [3_600_000_000, '1000h 0m 0s'],
  [-90_000, '-1m 30s'],
])('formatDuration of %i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('formatTime returns UTC to the second', () => {
  expect(formatTime('2026-01-02T03:04:05.678Z', '-')).toBe('2026-01-02 03:04:05 UTC');
  expect(formatTime(null, 'never')).toBe('never');
});

test('formatTable aligns columns by visible characters and leaves no trailing spaces', () => {
  expect(
    formatTable([
      ['A', 'B', 'C'],
      ['Gĩkũyũ', 'x', ''],
      ['é', 'longer', 'y'],
    ]),
  ).toBe('A       B       C\nGĩkũyũ  x\né       longer  y\n');
});

function printed(isTTY: boolean, env: NodeJS.ProcessEnv = {}): string {
  let text = '';
  const terminal = { write: (part: string) => (text += part), isTTY };
  createOutput(terminal, terminal, env).table(['H'], [['a\u001b[2Jb']]);
  return text;
}

test('table headings are bold only on a terminal, and control characters are replaced', () => {
  expect(printed(true)).toBe('\u001b[1mH\u001b[0m\na\ufffd[2Jb\n');
  for (const plain of [printed(false), printed(true, { NO_COLOR: '1' }), printed(true, { TERM: 'dumb' })]) {
    expect(plain).toBe('H\na\ufffd[2Jb\n');
  }
});

test.each([
  [undefined, {}],
  ['90d', { expires_in_days: 90 }],
  ['9999d', { expires_in_days: 9999 }],
  ['2027-01-31T03:00:00+03:00', { expires_at: '2027-01-31T00:00:00.000Z' }],
])('parseExpiry of %s is %j', (text, expected) => {
  expect(parseExpiry(text)).toEqual(expected);
});

test.each(['', '0d', '10000d', '90', '90days', '-1d', '1.5d', '2027-01-31', '2027-13-01T00:00:00Z'])(
  'parseExpiry refuses "%s"',
  (text) => {
    expect(() => parseExpiry(text)).toThrow('--expires must be');
  },
);

test('parseWhole accepts whole numbers only', () => {
  expect([parseWhole('n', undefined), parseWhole('n', '-5'), parseWhole('n', '60')]).toEqual([undefined, -5, 60]);
  for (const text of ['', '1.5', '1e3', 'x', '1'.repeat(13)])
    expect(() => parseWhole('n', text)).toThrow('--n must be');
});
