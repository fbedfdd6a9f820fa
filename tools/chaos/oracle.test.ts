import type { JournalEntry } from '@svc-asr/ledger';
import type { Impact } from './oracle.ts';
import { judge, judgeUnknown } from './oracle.ts';
import { newRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';

/** A session of 60 s that was open from 1 s to 8 s, with 5.5 s of audio. */
function session(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    ...newRecord('s', 'tenant-1', 60_000, 500),
    gateway: 0,
    openedAtMs: 1000,
    endedAtMs: 8000,
    sentSamples: 88_000,
    answeredMs: 3360,
    ending: 'closed',
    utterances: [{ fromMs: 1000, toMs: 7900 }],
    ...changes,
  };
}

const entry = (type: JournalEntry['type'], consumed: number) => ({
  id: '1-1',
  type,
  subject: 's',
  granted: 0,
  reserved: -60_000,
  consumed,
  detail: '',
  seenAtMs: 8100,
});
const impact = (harm: Impact['harm'], fromMs: number, toMs: number, gateway?: number): Impact => ({
  harm,
  gateway,
  fromMs,
  toMs,
});

test('judge() finds no problem if a session was charged for exactly the audio that its client sent', () => {
  const verdict = judge(session(), [entry('reserve', 0), entry('settle', 6000)], []);
  expect(verdict).toEqual({ problems: [], isLost: false, isProtected: true, lostMs: 0, isDoubleCharge: false });
});

test.each<[string, Partial<SessionRecord>, [JournalEntry['type'], number][], string]>([
  ['charged too much', {}, [['settle', 7000]], 'charged 7000 ms instead of at most 6000 ms'],
  ['charged too little', {}, [['settle', 5000]], 'charged 5000 ms instead of at least 6000 ms'],
  ['not charged', {}, [['fail', 0]], 'charged 0 ms instead of at least 6000 ms'],
  ['charged twice', {}, [['settle', 6000], ['settle', 6000]], 'ended 2 times (settle, settle)'], // prettier-ignore
  ['not ended', {}, [], 'has not ended'],
  ['lost', { ending: 'lost', closeCode: 1011 }, [['fail', 0]], 'lost with 1011 although it is protected'],
  ['charged after it was lost', { ending: 'lost' }, [['settle', 6000]], 'charged 6000 ms instead of at most 0 ms'],
  ['charged without a stream', { ending: 'unopened', gateway: undefined }, [['settle', 1000]], 'at most 0 ms'],
  ['charged less than the answered audio', { ending: 'left' }, [['settle', 3000]], 'at least 4000 ms'],
  ['charged above its reservation', { ending: 'limit', reservedMs: 4000 }, [['settle', 6000]], 'at most 4000 ms'],
])('judge() finds a problem if a session was %s', (_, changes, ends, problem) => {
  const entries = ends.map(([type, consumed]) => entry(type, consumed));
  expect(judge(session(changes), entries, []).problems.join()).toContain(problem);
});

test('judge() reports a second charge of a session as a double charge and as lost credit', () => {
  const verdict = judge(session(), [entry('settle', 6000), entry('settle', 6000)], []);
  expect(verdict).toMatchObject({ isDoubleCharge: true, lostMs: 6000 });
});

test('judge() finds no problem if a client that disconnected early pays nothing, or pays for at least its answered and at most its sent audio', () => {
  for (const end of [entry('settle', 4000), entry('settle', 6000), entry('fail', 0)]) {
    expect(judge(session({ ending: 'left' }), [end], []).problems).toEqual([]);
  }
});

test.each<[string, boolean, Impact[]]>([
  ['its gateway was killed', false, [impact('kills', 5000, 6000, 0)]],
  ['another gateway was killed', true, [impact('kills', 5000, 6000, 1)]],
  ['its gateway was killed before it opened the stream', true, [impact('kills', 100, 900, 0)]],
  ['Redis was unavailable for less than a lease', true, [impact('separates', 2000, 7000)]],
  ['its gateway was separated from Redis for longer than a lease', false, [impact('separates', 2000, 12_100, 0)]],
  ['two separations were close together', false, [impact('separates', 0, 3000, 0), impact('separates', 7000, 10_500)]],
  ['two workers were lost', true, [impact('moves', 2000, 3000), impact('moves', 4000, 5000)]],
  ['three workers were lost', false, [1, 2, 3].map((at) => impact('moves', at * 1000, at * 1000 + 500))],
])('judge() returns whether a session must survive if %s: %s', (_, isProtected, impacts) => {
  expect(judge(session(), [entry('settle', 6000)], impacts).isProtected).toBe(isProtected);
});

/**
 * In every case, the session is created at 0.5 s, opened at 1 s and ends at 8 s. Its end is in the journal at 8.1 s.
 */
test.each<[string, boolean, Parameters<typeof entry>[], { fromMs: number; toMs: number }]>([
  ['its reservation was lost', true, [], { fromMs: 400, toMs: 600 }],
  ['a failover lost only later writes', false, [], { fromMs: 1100, toMs: 1200 }],
  ['its settlement was lost', true, [['fail', 0]], { fromMs: 7900, toMs: 8050 }],
  ['the record that it was connected was lost', true, [['expire', 0]], { fromMs: 900, toMs: 950 }],
  ['a failover was over before its end', false, [['fail', 0]], { fromMs: 2000, toMs: 3000 }],
  ['its settlement was lost, but it was charged too much', false, [['settle', 7000]], { fromMs: 7900, toMs: 8050 }],
  ['its reservation was kept, but it has not ended', false, [['reserve', 0]], { fromMs: 400, toMs: 600 }],
])(
  'judge() returns whether the end of a session is correct during a failover of Redis, if %s: %s',
  (_, isRight, ends, tail) => {
    const entries = ends.map(([type, consumed]) => entry(type, consumed));
    expect(judge(session(), entries, [], [tail]).problems.length === 0).toBe(isRight);
  },
);

test('judge() finds a problem if a session that must survive was lost, even during a failover', () => {
  const { problems } = judge(session({ ending: 'lost' }), [entry('fail', 0)], [], [{ fromMs: 0, toMs: 9000 }]);
  expect(problems.join()).toContain('although it is protected');
});

test('judge() finds no problem if a session was lost because its gateway was killed, and was not charged', () => {
  const lost = session({ ending: 'lost', closeCode: 1006 });
  const verdict = judge(lost, [entry('fail', 0)], [impact('kills', 5000, 6000, 0)]);
  expect(verdict).toMatchObject({ problems: [], isLost: true, isProtected: false });
});

test('judgeUnknown requires that a session whose create response reached no client ends exactly once and is not charged', () => {
  expect(judgeUnknown([entry('reserve', 0), entry('expire', 0)])).toBeUndefined();
  expect(judgeUnknown([entry('reserve', 0)])).toBe('ended 0 times');
  expect(judgeUnknown([entry('reserve', 0), entry('settle', 1000)])).toBe('was charged 1000 ms, but no client had it');
});
