import { parseLoadtestArguments } from './arguments.ts';

test('parseLoadtestArguments uses the defaults if only a scenario is given', () => {
  expect(parseLoadtestArguments(['smoke'])).toEqual({
    scenario: 'smoke',
    out: undefined,
    slowWorker: false,
    halveCpu: false,
    logReport: false,
  });
});

test('parseLoadtestArguments accepts options before and after the scenario', () => {
  expect(parseLoadtestArguments(['--slow-worker', 'steady', '--out', 'x', '--halve-cpu', '--log-report'])).toEqual({
    scenario: 'steady',
    out: 'x',
    slowWorker: true,
    halveCpu: true,
    logReport: true,
  });
});

test('parseLoadtestArguments returns undefined if there are no arguments, or if --help is given', () => {
  expect(parseLoadtestArguments([])).toBeUndefined();
  expect(parseLoadtestArguments(['steady', '--help'])).toBeUndefined();
});

test.each([
  [['fast'], 'there is no scenario "fast". Choose one of smoke, steady'],
  [['smoke', 'steady'], 'unexpected argument "steady"'],
  [['smoke', '--out'], "Option '--out <value>' argument missing"],
  [['smoke', '--fast'], "Unknown option '--fast'"],
  [['--slow-worker'], 'no scenario given. Choose one of'],
])('parseLoadtestArguments rejects %j', (args, message) => {
  expect(() => parseLoadtestArguments(args)).toThrow(message);
});
