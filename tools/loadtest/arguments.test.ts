import { parseLoadtestArguments } from './arguments.ts';

test('a scenario alone takes the defaults', () => {
  expect(parseLoadtestArguments(['smoke'])).toEqual({
    scenario: 'smoke',
    out: undefined,
    slowWorker: false,
    logReport: false,
  });
});

test('options may stand before and after the scenario', () => {
  expect(parseLoadtestArguments(['--slow-worker', 'steady', '--out', 'x', '--log-report'])).toEqual({
    scenario: 'steady',
    out: 'x',
    slowWorker: true,
    logReport: true,
  });
});

test('without arguments, or when asked, there is help', () => {
  expect(parseLoadtestArguments([])).toBeUndefined();
  expect(parseLoadtestArguments(['steady', '--help'])).toBeUndefined();
});

test.each([
  [['fast'], 'there is no scenario "fast"; there are smoke, steady'],
  [['smoke', 'steady'], '"steady" is one too many'],
  [['smoke', '--out'], '--out needs a folder'],
  [['--slow-worker'], 'name a scenario'],
])('refuses %j', (args, message) => {
  expect(() => parseLoadtestArguments(args)).toThrow(message);
});
