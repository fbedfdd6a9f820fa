import { NodeFailures } from './node-failures.ts';

test('NodeFailures lists a node as failing for a model after two failures of this model on the node within an hour', () => {
  let nowMs = 0;
  const failures = new NodeFailures(() => nowMs);
  expect(failures.record('m', 'a')).toBe(false);
  expect(failures.record('n', 'a')).toBe(false);
  expect(failures.list('m')).toEqual([]);
  expect(failures.record('m', 'a')).toBe(true);
  expect(failures.record('m', 'a')).toBe(false);
  expect([failures.list('m'), failures.list('n')]).toEqual([['a'], []]);
  nowMs = 3_600_000;
  expect(failures.list('m')).toEqual([]);
});
