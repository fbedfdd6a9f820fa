import { judgeGates } from './gates.ts';
import { balancesOf, recordsOf, session, utterance } from './testing/records.ts';

/** What fails, by its first words. */
function failures(...[records, balances, mayBeRefused]: Parameters<typeof judgeGates>): string[] {
  return judgeGates(records, balances, mayBeRefused)
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => `${name}: ${detail}`);
}

const refusal = {
  ...({ kind: 'refusal', tenant: 't', role: 'regular', atMs: 0, status: 503, code: 'no_capacity' } as const),
  retryAfterSeconds: 5 as number | null,
};

test('a run in which everything is right passes', () => {
  const records = recordsOf([session('a'), session('b')], [utterance('a'), utterance('b')]);
  expect(failures(records, [balancesOf(6000)], false)).toEqual([]);
});

test('a run without any session fails', () => {
  expect(failures(recordsOf([], []), [balancesOf(0)], true)).toEqual(['sessions were served: none got a final']);
});

test('a session of which nothing was heard again fails', () => {
  const records = recordsOf([session('a')], [utterance('a')]);
  const created = [...records.created, { kind: 'created' as const, session: 'lost', tenant: 't', atMs: 0 }];
  expect(failures({ ...records, created }, [balancesOf(3000)], false)).toEqual([
    'every session ran to its end: lost did not end',
  ]);
});

test('a flush without a final fails', () => {
  const records = recordsOf(
    [session('a'), session('b', { finals: 0 })],
    [utterance('a'), utterance('b', { final: null })],
  );
  expect(failures(records, [balancesOf(3000)], false)).toEqual(['every flush got its final: b got none; b: 0 of 1']);
});

test('a fault of a stream fails, and the list of faults stays short', () => {
  const faults = Array.from({ length: 7 }, () => 'delta twice');
  const records = recordsOf([session('a', { faults })], [utterance('a')]);
  const [failure] = failures(records, [balancesOf(3000)], false);
  expect(failure).toContain('nothing twice');
  expect(failure).toContain('a: delta twice');
  expect(failure).toContain('and 2 more');
});

test('a stream that the service broke off fails, charged or not', () => {
  const records = recordsOf([session('a'), session('b', { closeCode: 1011 })], [utterance('a'), utterance('b')]);
  const expected = ['every stream was closed in good order: b: 1011'];
  expect(failures(records, [balancesOf(3000)], false)).toEqual(expected);
  expect(failures(records, [balancesOf(6000)], false)).toEqual(expected);
});

test('a refusal fails where the load is one that the pool is sized for', () => {
  const records = recordsOf([session('a')], [utterance('a')], [refusal]);
  expect(failures(records, [balancesOf(3000)], false)).toEqual(['no session was refused: 503 no_capacity']);
  expect(failures(records, [balancesOf(3000)], true)).toEqual([]);
});

test('where refusals are expected they must say when to come back', () => {
  const refusals = [
    { ...refusal, retryAfterSeconds: null },
    { ...refusal, status: 500, code: 'none' },
  ];
  const records = recordsOf([session('a')], [utterance('a')], refusals);
  expect(failures(records, [balancesOf(3000)], true)).toEqual([
    'refusals say when to come back: 503 no_capacity; 500 none',
  ]);
});

test('whoever waited in vain for a pool that could not grow counts as refused', () => {
  const waited = session('b', { closeCode: 4503, readyMs: null, samples: 0, utterances: 0, finals: 0 });
  const records = recordsOf([session('a'), waited], [utterance('a')]);
  expect(failures(records, [balancesOf(3000)], true)).toEqual([]);
  expect(failures(records, [balancesOf(3000)], false)).toHaveLength(2);
});

test('balances that do not balance fail', () => {
  const records = recordsOf([session('a')], [utterance('a')]);
  expect(failures(records, [balancesOf(3000, { availableMs: 3_596_999 })], false)).toEqual([
    'the balances balance: available + reserved + consumed = granted: t: 3599999 ms of 3600000 ms',
  ]);
});

test('credit that stays reserved fails', () => {
  const records = recordsOf([session('a')], [utterance('a')]);
  expect(failures(records, [balancesOf(3000, { reservedMs: 60_000 })], false)).toEqual([
    'nothing stays reserved: t: 60000 ms, 1 sessions',
  ]);
});

test.each([
  ['too little', balancesOf(2000), '2000 ms, not 3000 ms'],
  ['too much', balancesOf(4000), '4000 ms, not 3000 ms'],
  ['another sum than the sessions', balancesOf(3000, { billableMs: 6000 }), 'sessions sum up to 6000 ms'],
])('charging %s fails', (_name, balances, detail) => {
  const found = failures(recordsOf([session('a')], [utterance('a')]), [balances], false);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(detail);
});

test('a tenant that is told another balance than the administrator fails', () => {
  const balances = balancesOf(3000);
  const told = { ...balances, balance: { ...balances.balance, consumed_ms: 0 } };
  expect(failures(recordsOf([session('a')], [utterance('a')]), [told], false)).toEqual([
    'GET /v1/usage says the same: t: consumed 0 ms, not 3000 ms',
  ]);
});
