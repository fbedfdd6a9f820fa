import { byContext, judgeTargets, lagOf, seriesOf, wordErrorRateOf } from './latencies.ts';
import { distributionOf, percentile } from './percentile.ts';
import { parseRecords } from './records.ts';
import { recordsOf, session, utterance } from './testing/records.ts';

const LIMITS = { delta: 300, final: 600, ready: 1000 };

test('percentile and distributionOf interpolate between values', () => {
  expect(percentile([], 95)).toBeUndefined();
  expect(percentile([7], 95)).toBe(7);
  expect(percentile([4, 1, 3, 2], 50)).toBe(2.5);
  expect(distributionOf([10, 20])).toEqual({ count: 2, p50: 15, p95: 19.5, p99: 19.9, max: 20 });
  expect(distributionOf([]).max).toBeNull();
});

test('judgeTargets meets a target up to its limit and misses it above', () => {
  const records = recordsOf(
    [session('a', { readyMs: 1000 })],
    [utterance('a', { deltas: [[0, 301]], final: [0, 600] })],
  );
  const met = Object.fromEntries(judgeTargets(seriesOf(records), LIMITS).map((entry) => [entry.target, entry.met]));
  expect(met).toEqual({ delta: false, final: true, ready: true });
});

test('judgeTargets misses a target without measurements', () => {
  expect(judgeTargets(seriesOf(recordsOf([], [])), LIMITS).map(({ met }) => met)).toEqual([false, false, false]);
});

test('seriesOf ignores noisy tenants', () => {
  const noisy = { role: 'noisy' as const };
  const records = recordsOf([session('a', noisy)], [utterance('a', noisy)]);
  expect(seriesOf(records)).toEqual({ delta: [], final: [], ready: [] });
});

test('seriesOf returns only the events within the given time', () => {
  const records = recordsOf(
    [session('a')],
    [
      utterance('a', {
        deltas: [
          [2000, 40],
          [3000, 41],
          [3999, 42],
        ],
        final: [4000, 50],
      }),
    ],
  );
  expect(seriesOf(records, 3000, 4000)).toEqual({
    delta: [
      [3000, 41],
      [3999, 42],
    ],
    final: [],
    ready: [],
  });
});

test('lagOf, wordErrorRateOf and byContext cover all utterances', () => {
  const records = recordsOf(
    [],
    [
      utterance('a', { context: '56-13', lagsMs: [1, 3] }),
      utterance('b', {
        context: '56-0',
        lagsMs: [],
        words: 30,
        wordErrors: 0,
        deltas: [
          [0, 10],
          [1, 30],
        ],
      }),
    ],
  );
  expect(lagOf(records)).toMatchObject({ count: 2, max: 3 });
  expect(wordErrorRateOf(records)).toBe(5);
  expect(byContext(records)).toMatchObject({ '56-0': { count: 2, p50: 20 }, '56-13': { count: 1, p50: 40 } });
  expect(wordErrorRateOf(recordsOf([], []))).toBeNull();
});

test('parseRecords ignores an incomplete last line', () => {
  const line = JSON.stringify(session('a'));
  expect(parseRecords(`${line}\n${line.slice(0, 20)}`).sessions).toHaveLength(1);
  expect(parseRecords('').sessions).toEqual([]);
});
