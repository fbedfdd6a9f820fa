import { judgeGrowth, MIN_READINGS } from './growth.ts';
import type { ResourceReading } from './growth.ts';

const QUARTER = MIN_READINGS / 4;

/** Creates the readings of a run whose quarters have these values. */
function readingsOf(name: string, quarters: readonly number[], streams = [50, 50, 50, 50]): ResourceReading[] {
  return quarters.flatMap((value, at) =>
    Array.from({ length: QUARTER }, () => ({ resources: { [name]: value }, streams: streams[at] ?? 0 })),
  );
}
const passes = (...args: Parameters<typeof readingsOf>) => judgeGrowth(readingsOf(...args)).map(({ passed }) => passed);

test.each([
  ['memory of gateway (MiB)', 100, 110, 126, true],
  ['memory of gateway (MiB)', 100, 110, 127, false],
  ['sockets of gateway', 100, 110, 130, true],
  ['sockets of gateway', 100, 110, 131, false],
  ['keys in Redis', 1000, 1100, 1300, true],
  ['keys in Redis', 1000, 1100, 1301, false],
])(
  'judgeGrowth compares quarters 2, 3 and 4 of a run: %s from %i to %i to %i, passed is %s',
  (name, early, middle, late, passed) => {
    expect(judgeGrowth(readingsOf(name, [1, early, middle, late]))).toEqual([
      { name: `${name} did not grow`, passed, detail: `${early}, then ${middle}, then ${late}` },
    ]);
  },
);

test('judgeGrowth passes a resource that grew once and then stopped growing', () => {
  expect(passes('memory of gateway (MiB)', [100, 100, 200, 218])).toEqual([true]);
  expect(passes('memory of gateway (MiB)', [100, 100, 200, 219])).toEqual([false]);
});

test('judgeGrowth compares the low points of memory that rises and falls with garbage collection', () => {
  const sawtooth = readingsOf('memory of gateway (MiB)', [100, 100, 100, 100]).map((reading, at) => ({
    ...reading,
    resources: { 'memory of gateway (MiB)': 100 + (at % 5) * (at > 3 * QUARTER ? 60 : 10) },
  }));
  expect(judgeGrowth(sawtooth).map(({ passed }) => passed)).toEqual([true]);
});

test('judgeGrowth ignores readings during which the number of streams differed from the usual number', () => {
  const readings = readingsOf('sockets of gateway', [100, 100, 100, 100]).map((reading, at) =>
    at >= 3 * QUARTER && at % 2 === 0 ? { resources: { 'sockets of gateway': 500 }, streams: 90 } : reading,
  );
  expect(judgeGrowth(readings).map(({ passed }) => passed)).toEqual([true]);
});

test('judgeGrowth fails a run in which the number of streams changed too much', () => {
  expect(judgeGrowth(readingsOf('keys in Redis', [1, 1, 1, 1], [50, 50, 50, 44]))).toEqual([
    {
      name: 'the number of streams was steady',
      passed: false,
      detail: '30, 30, 0 of 30 readings had about 50 streams',
    },
  ]);
  expect(passes('keys in Redis', [1, 1, 1, 1], [50, 50, 50, 45])).toEqual([true]);
});

test('judgeGrowth returns nothing for a run of less than ten minutes, or for a process that started late in the run', () => {
  expect(judgeGrowth(readingsOf('keys in Redis', [1, 1, 1, 9999]).slice(1))).toEqual([]);
  const late = readingsOf('keys in Redis', [1, 1, 1, 1]).map(({ resources, streams }, at) => ({
    resources: at < 3 * QUARTER ? resources : { ...resources, 'sockets of worker': 500 },
    streams,
  }));
  expect(judgeGrowth(late).map(({ name }) => name)).toEqual(['keys in Redis did not grow']);
});

test('judgeGrowth fails a run in which most readings failed', () => {
  expect(judgeGrowth([], 1)).toEqual([{ name: 'resources were read', passed: false, detail: '1 readings failed' }]);
});
