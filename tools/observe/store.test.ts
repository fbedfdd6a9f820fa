import { MetricStore } from './store.ts';

const gateway = { service: 'gateway', instance: 'a' };
const counter = (value: number) => [{ name: 'n', labels: { model: 'm' }, value }];

test('MetricStore.increase returns the growth of a counter within the window', () => {
  const store = new MetricStore();
  for (let second = 0; second <= 20; second++) store.take(gateway, counter(second * 3), second * 1000);
  expect(store.latest('n', 20_000)).toMatchObject([{ value: 60, labels: { model: 'm' }, instance: 'a' }]);
  expect(store.increase('n', 20_000, 10_000)).toMatchObject([{ value: 30 }]);
});

test('MetricStore.increase counts a series that is younger than the window from zero', () => {
  const store = new MetricStore();
  store.take(gateway, counter(7), 1000);
  expect(store.increase('n', 2000, 10_000)).toMatchObject([{ value: 7 }]);
});

test('MetricStore ignores processes that have stopped reporting', () => {
  const store = new MetricStore();
  store.take(gateway, counter(7), 0);
  store.take({ ...gateway, instance: 'b' }, counter(1), 60_000);
  expect(store.latest('n', 60_000)).toMatchObject([{ instance: 'b', value: 1 }]);
  expect(store.sources(60_000)).toEqual([{ service: 'gateway', instance: 'b' }]);
});
