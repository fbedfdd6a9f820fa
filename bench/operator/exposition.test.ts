import { describeCounts, difference, parseExposition, sumBy } from './exposition.ts';

const TEXT = `# HELP requests Requests.
# TYPE requests counter
requests_total{verb="apply",code="200"} 7
requests_total{verb="apply",code="201"} 3
requests_total{verb="get",code="200"} 1 1700000000000
up 1
`;

test('parseExposition reads names, labels and values, with and without a timestamp', () => {
  expect(parseExposition(TEXT)).toEqual([
    { name: 'requests_total', labels: { verb: 'apply', code: '200' }, value: 7 },
    { name: 'requests_total', labels: { verb: 'apply', code: '201' }, value: 3 },
    { name: 'requests_total', labels: { verb: 'get', code: '200' }, value: 1 },
    { name: 'up', labels: {}, value: 1 },
  ]);
});

test('difference() returns the increase of each counter between two readings', () => {
  const after = sumBy(parseExposition(TEXT), 'requests_total', 'verb');
  const counted = difference(new Map([['get', 1]]), after);
  expect(describeCounts(counted)).toBe('apply 10');
});
