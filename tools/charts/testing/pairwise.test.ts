import { pairwise } from './pairwise.ts';

const choices = (count: number, name: string) => Array.from({ length: count }, (_, at) => ({ [name]: at }));
const options = { a: choices(2, 'a'), b: choices(3, 'b'), c: choices(4, 'c'), d: choices(2, 'd') };

test('pairwise() combines every two choices of different options at least once', () => {
  const rows = pairwise(options).map((row) => Object.assign({}, ...row) as Record<string, number>);
  for (const [left, right] of [
    ['a', 'b'],
    ['a', 'c'],
    ['a', 'd'],
    ['b', 'c'],
    ['b', 'd'],
    ['c', 'd'],
  ] as const) {
    const seen = new Set(rows.map((row) => `${row[left]} ${row[right]}`));
    expect(seen.size).toBe(options[left].length * options[right].length);
  }
});

test('pairwise() returns far fewer rows than all combinations', () => {
  expect(pairwise(options).length).toBeLessThan(20);
});
