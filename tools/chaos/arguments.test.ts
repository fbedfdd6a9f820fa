import { parseChaosArguments } from './arguments.ts';
import { FAULTS } from './fault-list.ts';

const parse = (...args: string[]) => parseChaosArguments(args, () => 42);

test('parseChaosArguments returns undefined if there are no arguments, and for --help', () => {
  expect(parse()).toBeUndefined();
  expect(parse('--minutes', '1', '--help')).toBeUndefined();
});

test('parseChaosArguments uses all faults and a new seed if only --minutes is given', () => {
  expect(parse('--minutes', '0.5')).toEqual({
    minutes: 0.5,
    seed: 42,
    faults: Object.keys(FAULTS),
    tenants: 6,
    streams: 12,
    intervalSeconds: 4.5,
    report: undefined,
  });
});

test('parseChaosArguments accepts names of faults, and parts of names before or after the colon', () => {
  const chosen = parse('--minutes', '1', '--faults', 'kill,full:disk,gateway-worker')?.faults;
  expect(chosen).toEqual([
    'kill:gateway',
    'kill:worker',
    'kill:operator',
    'kill:redis',
    'kill:replica',
    'cut:gateway-worker',
    'stall:gateway-worker',
    'delay:gateway-worker',
    'drop:gateway-worker',
    'kill:api-server',
    'full:disk',
  ]);
});

test.each([
  [['--seed', '3'], '--minutes is missing'],
  [['--minutes', '0'], '--minutes requires a number above 0'],
  [['--minutes', 'x'], '--minutes requires a number above 0'],
  [['--minutes', '1', '--seed', '1.5'], '--seed requires a whole number of at least 1'],
  [['--minutes', '1', '--tenants', '0'], '--tenants requires a whole number of at least 1'],
  [['--minutes', '1', '--tenants', '4', '--streams', '3'], '--streams must be at least --tenants'],
  [['--minutes', '1', '--faults', 'earthquake'], 'there is no fault "earthquake"'],
  [['--rounds', '1'], "Unknown option '--rounds'"],
])('parseChaosArguments rejects %j', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});
