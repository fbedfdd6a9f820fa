import { MetricStore } from './metric-store.ts';
import { buildExport } from './testing/export.ts';

const counter = (value: number, instance = 'a') => buildExport('gateway', instance, [['n', value, { model: 'm' }]]);

test('MetricStore.read() returns the latest value of a counter, or the growth of the counter within a given window', () => {
  const store = new MetricStore();
  for (let second = 0; second <= 20; second++) store.take(counter(second * 3), second * 1000);
  expect(store.read('n', 20_000)).toMatchObject([
    { value: 60, labels: { model: 'm', service: 'gateway', instance: 'a' } },
  ]);
  expect(store.read('n', 20_000, 10_000)).toMatchObject([{ value: 30 }]);
});

test('MetricStore.read() returns the growth of the buckets of a histogram', () => {
  const store = new MetricStore();
  const histogram = (...counts: number[]) => buildExport('gateway', 'a', [['n', { bounds: [1], counts }]]);
  store.take(histogram(2, 0), 0);
  store.take(histogram(5, 1), 5000);
  expect(store.read('n', 5000, 5000)).toMatchObject([{ value: 4, bounds: [1], counts: [3, 1] }]);
});

test('MetricStore.read() assumes that a series whose first value is inside the window started at zero', () => {
  const store = new MetricStore();
  store.take(counter(7), 1000);
  expect(store.read('n', 2000, 10_000)).toMatchObject([{ value: 7 }]);
});

test('MetricStore ignores processes that have stopped reporting', () => {
  const store = new MetricStore();
  store.take(counter(7), 0);
  store.take(counter(1, 'b'), 60_000);
  expect(store.read('n', 60_000)).toMatchObject([{ value: 1, labels: { instance: 'b' } }]);
  expect(store.instances('gateway', 60_000)).toEqual(['b']);
});
