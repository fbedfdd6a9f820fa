import type { InjectedFault } from './injector.ts';
import { buildReport, buildRows, findCause } from './report.ts';
import type { RunResult } from './report.ts';
import { newRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';

const fault = (changes: Partial<InjectedFault>): InjectedFault => ({
  name: 'kill:worker',
  harm: 'moves',
  gateway: undefined,
  fromMs: 2000,
  toMs: 3000,
  streams: 4,
  recoveryMs: 900,
  ...changes,
});
const lost: SessionRecord = {
  ...newRecord('s', 'tenant-1', 60_000, 0),
  gateway: 1,
  openedAtMs: 1000,
  endedAtMs: 6000,
  ending: 'lost',
  stalls: [{ fromMs: 2500, toMs: 6000 }],
};
const killed = fault({ name: 'kill:gateway', harm: 'kills', gateway: 1, fromMs: 5000, toMs: 5500, streams: 6 });

const result: RunResult = {
  command: 'npm run chaos -- --minutes 1 --seed 5',
  seed: 5,
  minutes: 1,
  faults: [fault({}), fault({ fromMs: 20_000, toMs: 21_000, streams: 5, recoveryMs: 1500 }), killed],
  judgement: {
    sessions: 10,
    protectedSessions: 9,
    lost: [lost],
    protectedLost: 0,
    creditLostMs: 0,
    doubleCharges: 0,
    longestStallMs: 3500,
  },
  accountsLocked: 0,
  accountReads: 1200,
  tenants: 2,
  streams: 6,
  violations: ['something happened'],
  sessions: [lost],
};

test('findCause returns the most harmful fault that affected the gateway of a lost session', () => {
  expect(findCause(lost, result.faults)).toBe(killed);
  const ofAnother = { ...killed, gateway: 0 };
  expect(findCause(lost, [fault({}), ofAnother])).toEqual(fault({}));
  expect(findCause({ ...lost, endedAtMs: 1500 }, result.faults)).toBeUndefined();
});

test('buildRows sums up the faults of each kind, and counts only stalls that overlap these faults', () => {
  expect(buildRows(result)).toEqual([
    { fault: 'kill:gateway', count: 1, streams: 6, sessionsLost: 1, longestStallMs: 3500, longestRecoveryMs: 900 },
    { fault: 'kill:worker', count: 2, streams: 4.5, sessionsLost: 0, longestStallMs: 3500, longestRecoveryMs: 1500 },
  ]);
  const later = { ...result, faults: [fault({ fromMs: 20_000, toMs: 21_000 })] };
  expect(buildRows(later)).toMatchObject([{ longestStallMs: 0, sessionsLost: 0 }]);
});

test('buildReport shows the seed, the sums, a row for each kind of fault, and the violations', () => {
  const report = buildReport(result);
  expect(report).toContain('| seed | 5 |');
  expect(report).toContain('| faults injected | 3 (0 at the same time as another fault) |');
  expect(report).toContain('| kill:worker | 2 | 4.5 | 0 | 3.5 s | 1.5 s |');
  expect(report).toContain('- something happened');
});
