import { parseChaosArguments, splitRounds } from './arguments.ts';

const worker = { what: 'kills workers', test: 'a.test.ts', rounds: 50, roundsInPart: 5 };
const scenarios = { worker };

test('without arguments nothing is chosen', () => {
  expect(parseChaosArguments([], scenarios)).toBeUndefined();
});

test('a name alone means as many rounds as it has by itself', () => {
  expect(parseChaosArguments(['worker'], scenarios)).toEqual({ name: 'worker', scenario: worker, rounds: 50 });
});

test('the number of rounds can be said before or after the name', () => {
  expect(parseChaosArguments(['worker', '--rounds', '2'], scenarios)).toMatchObject({ rounds: 2 });
  expect(parseChaosArguments(['--rounds', '3', 'worker'], scenarios)).toMatchObject({ rounds: 3 });
});

test.each([
  [['redis'], 'there is no chaos "redis"; there are worker'],
  [['--rounds', '3'], 'chaos needs a name; there are worker'],
  [['worker', '--rounds'], '--rounds needs a whole number from 1 on'],
  [['worker', '--rounds', '0'], '--rounds needs a whole number from 1 on'],
  [['worker', '--rounds', '1.5'], '--rounds needs a whole number from 1 on'],
  [['worker', 'redis'], '"redis" is one too many'],
])('refuses %j', (args, message) => {
  expect(() => parseChaosArguments(args, scenarios)).toThrow(message);
});

test('rounds are cut into parts, the last of which may be smaller', () => {
  expect(splitRounds(50, 5)).toEqual(Array.from({ length: 10 }, () => 5));
  expect(splitRounds(7, 5)).toEqual([5, 2]);
  expect(splitRounds(2, 5)).toEqual([2]);
});
