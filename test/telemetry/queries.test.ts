import { findQueryProblems } from './queries.ts';

const KNOWN = new Map([
  ['a_total', ['model', 'code']],
  ['a_bucket', ['model', 'le']],
  ['b', []],
]);

test.each([
  'b',
  'sum(rate(a_total{model="1",code=~"b|c"}[5m])) / 3.6e6',
  'sum by (model, le) (rate(a_bucket[$__rate_interval])) > 0.3 and on (pod) b == 1',
  'a_total{code="sum by (unknown)"} or absent(b)',
  'histogram_quantile(0.95, a_bucket)',
])('findQueryProblems accepts the query %s', (query) => {
  expect(findQueryProblems(query, KNOWN)).toEqual([]);
});

test.each([
  ['c + b', 'no metric c'],
  ['rate(a_total{code="1", status="2"}[5m])', 'a_total has no label status'],
  ['sum by (tenant) (a_total)', 'no metric has the label tenant'],
  ['a_total and on (revision) b', 'no metric has the label revision'],
  ['sum(rate(a_total[5m])', 'syntax error at ""'],
  ['sum(a_total) by by (model)', 'syntax error at "by (model)"'],
])('findQueryProblems reports the fault in the query %s', (query, problem) => {
  expect(findQueryProblems(query, KNOWN)).toContain(problem);
});
