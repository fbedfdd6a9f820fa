import { bucketSeconds, cumulative, openOverTime, percentileOverTime } from './buckets.ts';
import { drawChart } from './chart.ts';
import { scaleOf } from './scale.ts';

test.each([
  [300, [0, 100, 200, 300]],
  [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [7, [0, 2, 4, 6, 8]],
  [1234, [0, 500, 1000, 1500]],
])('scaleOf(%d) has round ticks', (largest, ticks) => {
  const scale = scaleOf(largest);
  expect(scale.ticks.map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
  expect(scale.to).toBeGreaterThanOrEqual(largest);
});

test('bucketSeconds limits the number of buckets, and percentileOverTime fills them', () => {
  expect(bucketSeconds(60)).toBe(1);
  expect(bucketSeconds(3600)).toBe(30);
  const points = [
    [1000, 10],
    [1500, 30],
    [4200, 50],
  ] as const;
  expect(percentileOverTime(points, 1000, 2, 50)).toEqual([
    [1, 20],
    [3, 50],
  ]);
});

test('openOverTime counts the open streams from the start to the end', () => {
  const points = openOverTime(
    [
      [1000, 3000],
      [2000, 3000],
    ],
    0,
    3,
  );
  const openAt = (seconds: number) => points.find(([x]) => x >= seconds)?.[1];
  expect([0, 1, 1.5, 2, 2.9, 3].map(openAt)).toEqual([0, 1, 1, 2, 2, 0]);
});

test('cumulative reaches 100 percent at the largest value', () => {
  const points = cumulative([1, 2, 3]);
  expect(points[0]).toEqual([1, 0]);
  expect(points.at(-1)).toEqual([3, 100]);
});

test('drawChart stays inside its frame and escapes texts', () => {
  const svg = drawChart({
    title: 'a < b',
    xLabel: 's',
    yLabel: 'ms',
    lines: [
      {
        name: 'p95',
        colour: '#000',
        points: [
          [0, 0],
          [10, 900],
        ],
      },
    ],
    limit: { name: 'target', value: 300 },
    mark: { name: 'declared', value: 8 },
  });
  expect(svg).toContain('a &lt; b');
  const numbers = [...svg.matchAll(/points="([^"]+)"/g)].flatMap(([, list = '']) => list.split(/[ ,]/).map(Number));
  expect(numbers.every((number) => number >= 0 && number <= 560)).toBe(true);
});
