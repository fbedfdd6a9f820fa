import { parseBenchArguments } from './arguments.ts';
import { buildTable } from './table.ts';

const known = ['relay', 'sessions'];

test('parseBenchArguments selects every benchmark if no name is given', () => {
  expect(parseBenchArguments([], known)).toEqual({
    names: known,
    jsonFile: undefined,
    size: 'usual',
    part: undefined,
  });
});

test('parseBenchArguments reads the file name after --json if one benchmark is named', () => {
  expect(parseBenchArguments(['sessions', '--json', 'a.json'], known)).toEqual({
    names: ['sessions'],
    jsonFile: 'a.json',
    size: 'usual',
    part: undefined,
  });
});

test('parseBenchArguments reads the name of a part after --part if one benchmark is named', () => {
  expect(parseBenchArguments(['relay', '--part', 'memory'], known).part).toBe('memory');
});

test('parseBenchArguments reads the size from --quick and --full', () => {
  expect(parseBenchArguments(['relay', '--quick'], known).size).toBe('quick');
  expect(parseBenchArguments(['--full', 'relay'], known).size).toBe('full');
});

test.each([
  [['speed'], 'unknown benchmark "speed"; choose one of relay, sessions'],
  [['sessions', '--json'], '--json needs a file name'],
  [['--part', 'memory'], '--part needs the name of exactly one benchmark'],
  [['relay', '--part'], '--part needs the name of a part'],
  [['--json', 'a.json'], '--json needs the name of exactly one benchmark'],
])('parseBenchArguments refuses %j', (args, message) => {
  expect(() => parseBenchArguments(args, known)).toThrow(message);
});

test('buildTable aligns numbers to the right and writes "ratio" after each ratio', () => {
  const table = buildTable('sessions', { ratios: { throughput_vs_floor: 0.714 }, figures: { per_second: 12_345.678 } });
  expect(table).toBe('sessions\n  throughput_vs_floor       0.71  ratio\n  per_second           12,345.68');
});
