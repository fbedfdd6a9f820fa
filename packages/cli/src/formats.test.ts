import { formatDuration, formatTime } from './duration.ts';
import { parseExpiry, parseWhole } from './expiry.ts';
import { createOutput } from './output.ts';
import { fitTable, formatList, formatTable } from './table.ts';
import { formatTranscript } from './transcript-format.ts';

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

test('formatTable aligns columns whose cells contain letters such as ĩ and é, and leaves no trailing spaces', () => {
  expect(
    formatTable([
      ['A', 'B', 'C'],
      ['Gĩkũyũ', 'x', ''],
      ['é', 'longer', 'y'],
    ]),
  ).toBe('A       B       C\nGĩkũyũ  x\né       longer  y\n');
});

test('fitTable leaves out optional columns until the table fits, and prints each row as a block if it still does not fit', () => {
  const table = { head: ['ID', 'NAME', 'NOTE'], rows: [['1', 'first', 'abcdefgh']], optional: ['NOTE', 'NAME'] };
  expect(fitTable(table, 80)).toBe('ID  NAME   NOTE\n1   first  abcdefgh\n');
  expect(fitTable(table, 15)).toBe('ID  NAME\n1   first\n');
  expect(fitTable(table, 5)).toBe('ID\n1\n');
  const wide = {
    head: ['A', 'B'],
    rows: [
      ['x'.repeat(9), 'y'],
      ['z', 'y'],
    ],
    optional: [],
  };
  expect(fitTable(wide, 10)).toBe('A  xxxxxxx\n   xx\nB  y\n\nA  z\nB  y\n');
});

test('formatList wraps descriptions, and puts a description below its term if the term is too long', () => {
  const rows = [
    ['a', 'one two three'],
    ['a-long-term', 'four'],
  ] as const;
  expect(formatList(rows, 20, 2)).toBe('  a         one two\n            three\n  a-long-term\n            four\n');
});

const word = (text: string, start: number, end: number) => ({ text, start_ms: start, end_ms: end });

test('formatTranscript joins the texts of finals and leaves out finals without text', () => {
  const final = (text: string, start: number) => ({
    type: 'final' as const,
    text,
    utterance: 1,
    audio_start_ms: start,
    audio_end_ms: start + 100,
    words: text === '' ? [] : [word(text, start, start + 100)],
  });
  const content = {
    file: 'a.wav',
    model: 'm',
    language: 'ki',
    durationMs: 300.0625,
    finals: [final('one', 0), final('', 100), final('two', 200)],
  };
  expect(formatTranscript('text', content)).toBe('one\ntwo\n');
  expect(JSON.parse(formatTranscript('json', content))).toEqual({
    file: 'a.wav',
    model: 'm',
    language: 'ki',
    duration_ms: 300,
    text: 'one two',
    segments: [
      { start_ms: 0, end_ms: 100, text: 'one' },
      { start_ms: 200, end_ms: 300, text: 'two' },
    ],
    words: [word('one', 0, 100), word('two', 200, 300)],
  });
  expect(formatTranscript('srt', content)).toContain('one two');
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
