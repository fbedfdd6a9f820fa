import { groupingsOf, selectorsOf } from './promql.ts';

test.each([
  ['up', [{ metric: 'up', labels: [] }]],
  ['sum(rate(a_total{x="1",y=~"b|c"}[5m])) / 3.6e6', [{ metric: 'a_total', labels: ['x', 'y'] }]],
  [
    'sum by (model, le) (rate(a_bucket[$__rate_interval])) > 0.3 and on (pod) b == 1',
    [
      { metric: 'a_bucket', labels: [] },
      { metric: 'b', labels: [] },
    ],
  ],
  [
    'a{x="sum by (y)"} or absent(b)',
    [
      { metric: 'a', labels: ['x'] },
      { metric: 'b', labels: [] },
    ],
  ],
  ['histogram_quantile(0.95, a)', [{ metric: 'a', labels: [] }]],
])('selectorsOf finds the metrics of %s', (query, expected) => {
  expect(selectorsOf(query)).toEqual(expected);
});

test('groupingsOf finds the labels of by and on', () => {
  expect(groupingsOf('sum by (model, le) (a) and on (pod) b')).toEqual(['model', 'le', 'pod']);
});
