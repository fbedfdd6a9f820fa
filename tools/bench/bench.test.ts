import { parseBenchArguments } from './arguments.ts';
import { buildTable } from './table.ts';

const known = ['relay', 'sessions'];

test('without a name every benchmark is meant', () => {
  expect(parseBenchArguments([], known)).toEqual({ names: known, jsonFile: undefined, size: 'usual' });
});

test('one benchmark can write its result to a file', () => {
  expect(parseBenchArguments(['sessions', '--json', 'a.json'], known)).toEqual({
    names: ['sessions'],
    jsonFile: 'a.json',
    size: 'usual',
  });
});

test('a benchmark can be asked for less or more than usual', () => {
  expect(parseBenchArguments(['relay', '--quick'], known).size).toBe('quick');
  expect(parseBenchArguments(['--full', 'relay'], known).size).toBe('full');
});

test.each([
  [['speed'], 'there is no benchmark "speed"; there are relay, sessions'],
  [['sessions', '--json'], '--json needs the name of a file'],
  [['--json', 'a.json'], '--json needs the name of one benchmark'],
])('refuses %j', (args, message) => {
  expect(() => parseBenchArguments(args, known)).toThrow(message);
});

test('the table aligns numbers and marks ratios', () => {
  const table = buildTable('sessions', { ratios: { throughput_vs_floor: 0.714 }, figures: { per_second: 12_345.678 } });
  expect(table).toBe('sessions\n  throughput_vs_floor       0.71  ratio\n  per_second           12,345.68');
});
