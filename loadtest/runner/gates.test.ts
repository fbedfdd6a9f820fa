import { judgeGates } from './gates.ts';
import { balancesOf, recordsOf, session, utterance } from './testing/records.ts';

/** Returns the failed gates with their details. */
function failures(...[records, balances, mayBeRefused]: Parameters<typeof judgeGates>): string[] {
  return judgeGates(records, balances, mayBeRefused)
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => `${name}: ${detail}`);
}

const refusal = {
  ...({ kind: 'refusal', tenant: 't', role: 'regular', atMs: 0, status: 503, code: 'no_capacity' } as const),
  retryAfterSeconds: 5 as number | null,
};

test('judgeGates passes a correct run', () => {
  const records = recordsOf([session('a'), session('b')], [utterance('a'), utterance('b')]);
  expect(failures(records, [balancesOf(6000)], false)).toEqual([]);
});

test('judgeGates fails a run without sessions', () => {
  expect(failures(recordsOf([], []), [balancesOf(0)], true)).toEqual(['sessions were served: none got a final']);
});

test('judgeGates fails if a created session never ended', () => {
  const records = recordsOf([session('a')], [utterance('a')]);
  const created = [...records.created, { kind: 'created' as const, session: 'lost', tenant: 't', atMs: 0 }];
  expect(failures({ ...records, created }, [balancesOf(3000)], false)).toEqual([
    'every session ended: lost did not end',
  ]);
});

test('judgeGates fails if a flush got no final', () => {
  const records = recordsOf(
    [session('a'), session('b', { finals: 0 })],
    [utterance('a'), utterance('b', { final: null })],
  );
  expect(failures(records, [balancesOf(3000)], false)).toEqual(['every flush got its final: b got none; b: 0 of 1']);
});

test('judgeGates fails on a stream fault and names only the first cases', () => {
  const faults = Array.from({ length: 7 }, () => 'delta twice');
  const records = recordsOf([session('a', { faults })], [utterance('a')]);
  const [failure] = failures(records, [balancesOf(3000)], false);
  expect(failure).toContain('no event was lost, repeated or out of order');
  expect(failure).toContain('a: delta twice');
  expect(failure).toContain('and 2 more');
});

test('judgeGates fails if the service closed a stream with an error, whether or not it was charged', () => {
  const records = recordsOf([session('a'), session('b', { closeCode: 1011 })], [utterance('a'), utterance('b')]);
  const expected = ['every stream closed normally: b: 1011'];
  expect(failures(records, [balancesOf(3000)], false)).toEqual(expected);
  expect(failures(records, [balancesOf(6000)], false)).toEqual(expected);
});

test('judgeGates fails on a refusal only if the scenario does not allow refusals', () => {
  const records = recordsOf([session('a')], [utterance('a')], [refusal]);
  expect(failures(records, [balancesOf(3000)], false)).toEqual(['no session was refused: 503 no_capacity']);
  expect(failures(records, [balancesOf(3000)], true)).toEqual([]);
});

test('judgeGates fails on refusals without Retry-After or with another status than 429 and 503', () => {
  const refusals = [
    { ...refusal, retryAfterSeconds: null },
    { ...refusal, status: 500, code: 'none' },
  ];
  const records = recordsOf([session('a')], [utterance('a')], refusals);
  expect(failures(records, [balancesOf(3000)], true)).toEqual([
    'every refusal is 429 or 503 with Retry-After: 503 no_capacity; 500 none',
  ]);
});

test('judgeGates accepts close code 4503 of a queued session only if the scenario allows refusals', () => {
  const queued = session('b', { closeCode: 4503, readyMs: null, samples: 0, utterances: 0, finals: 0 });
  const records = recordsOf([session('a'), queued], [utterance('a')]);
  expect(failures(records, [balancesOf(3000)], true)).toEqual([]);
  expect(failures(records, [balancesOf(3000)], false)).toHaveLength(2);
});

test('judgeGates fails if the balances do not add up to the granted credit', () => {
  const records = recordsOf([session('a')], [utterance('a')]);
  expect(failures(records, [balancesOf(3000, { availableMs: 3_596_999 })], false)).toEqual([
    'balances add up: available + reserved + consumed = granted: t: 3599999 ms of 3600000 ms',
  ]);
});

test('judgeGates fails if credit stays reserved', () => {
  const records = recordsOf([session('a')], [utterance('a')]);
  expect(failures(records, [balancesOf(3000, { reservedMs: 60_000 })], false)).toEqual([
    'no credit stays reserved: t: 60000 ms, 1 sessions',
  ]);
});

test.each([
  ['too little', balancesOf(2000), '2000 ms, not 3000 ms'],
  ['too much', balancesOf(4000), '4000 ms, not 3000 ms'],
  ['another sum than the sessions', balancesOf(3000, { billableMs: 6000 }), 'sessions sum up to 6000 ms'],
])('judgeGates fails if the service charges %s', (_name, balances, detail) => {
  const found = failures(recordsOf([session('a')], [utterance('a')]), [balances], false);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(detail);
});

test('judgeGates fails if GET /v1/usage differs from the account of the admin API', () => {
  const balances = balancesOf(3000);
  const different = { ...balances, balance: { ...balances.balance, consumed_ms: 0 } };
  expect(failures(recordsOf([session('a')], [utterance('a')]), [different], false)).toEqual([
    'GET /v1/usage returns the same balance: t: consumed 0 ms, not 3000 ms',
  ]);
});
