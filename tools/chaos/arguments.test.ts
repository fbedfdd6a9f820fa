import { parseChaosArguments, splitRounds } from './arguments.ts';

const worker = { what: 'kills workers', test: 'a.test.ts', rounds: 50, roundsInPart: 5 };
const scenarios = { worker };

test('parseChaosArguments returns undefined if there are no arguments', () => {
  expect(parseChaosArguments([], scenarios)).toBeUndefined();
});

test('parseChaosArguments uses the default rounds of the scenario if --rounds is not given', () => {
  expect(parseChaosArguments(['worker'], scenarios)).toEqual({ name: 'worker', scenario: worker, rounds: 50 });
});

test('parseChaosArguments accepts --rounds before and after the name', () => {
  expect(parseChaosArguments(['worker', '--rounds', '2'], scenarios)).toMatchObject({ rounds: 2 });
  expect(parseChaosArguments(['--rounds', '3', 'worker'], scenarios)).toMatchObject({ rounds: 3 });
});

test.each([
  [['redis'], 'there is no scenario "redis". Choose one of worker'],
  [['--rounds', '3'], 'no scenario given. Choose one of worker'],
  [['worker', '--rounds'], '--rounds requires a whole number of at least 1'],
  [['worker', '--rounds', '0'], '--rounds requires a whole number of at least 1'],
  [['worker', '--rounds', '1.5'], '--rounds requires a whole number of at least 1'],
  [['worker', 'redis'], 'unexpected argument "redis"'],
])('parseChaosArguments rejects %j', (args, message) => {
  expect(() => parseChaosArguments(args, scenarios)).toThrow(message);
});

test('splitRounds returns parts of the given size, and a smaller last part for the remainder', () => {
  expect(splitRounds(50, 5)).toEqual(Array.from({ length: 10 }, () => 5));
  expect(splitRounds(7, 5)).toEqual([5, 2]);
  expect(splitRounds(2, 5)).toEqual([2]);
});
