import { LedgerUnavailable } from '@svc-asr/ledger';
import { LedgerMissing } from '../ledger/guard.ts';
import { createNotices } from '../notices.ts';
import { createTestLogger } from '../testing/logs.ts';
import { createOutcomeReport } from './outcome.ts';
import { PartialFailure } from '../failure/partial-failure.ts';
import { PhaseFailed } from '../failure/phase-failed.ts';
import { runPhases } from './phases.ts';

function setUp() {
  const { logger, lines } = createTestLogger();
  const counted: string[] = [];
  const report = createOutcomeReport(
    { countReconcile: (kind, result) => counted.push(`${kind} ${result}`) },
    createNotices(),
    logger,
  );
  const levels = () => lines.map(({ level, message }) => `${level} ${message}`);
  return { report, counted, levels };
}

const ok = { error: undefined, durationMs: 1, failures: 0 };
const failed = (error: unknown, failures = 1) => ({ error, durationMs: 1, failures });

test('every reconcile attempt is counted by kind and result', () => {
  const { report, counted } = setUp();
  expect(report({ key: 'Tenant/a', ...ok })).toBe('success');
  expect(report({ key: 'ASRModel/a', ...failed(new Error('broken')) })).toBe('error');
  expect(report({ key: 'Sync', ...failed(new LedgerUnavailable('down')) })).toBe('unavailable');
  expect(report({ key: 'ASRModel/a', ...failed(new PartialFailure('in part'), 0) })).toBe('error');
  expect(counted).toEqual(['Tenant success', 'ASRModel error', 'Sync unavailable', 'ASRModel error']);
});

test('an outage of Redis and its end are each logged only once for all resources', () => {
  const { report, levels } = setUp();
  for (const name of ['a', 'b', 'c']) {
    const error = new PhaseFailed('close the account', new LedgerUnavailable('down'));
    expect(report({ key: `Tenant/${name}`, ...failed(error) })).toBe('unavailable');
  }
  report({ key: 'Tenant/a', ...ok });
  report({ key: 'Tenant/b', ...ok });
  expect(levels()).toEqual([
    'warn Redis is unavailable; changes are applied when it is back',
    'info Redis is available again',
  ]);
});

test('the success of a resource that did not wait for Redis does not log that Redis is available again', () => {
  const { report, levels } = setUp();
  report({ key: 'Tenant/a', ...failed(new LedgerUnavailable('down')) });
  report({ key: 'Tenant/b', ...ok });
  expect(levels()).toHaveLength(1);
  report({ key: 'Tenant/a', ...ok });
  expect(levels()[1]).toBe('info Redis is available again');
});

test('a missing ledger is logged as an error, and not as an unavailable Redis', () => {
  const { report, levels } = setUp();
  report({ key: 'Tenant/a', ...failed(new LedgerMissing('emptied')) });
  report({ key: 'Tenant/a', ...ok });
  expect(levels()).toEqual([
    'error the ledger is missing; nothing is written to Redis, and gateways answer 503',
    'info the ledger is available again',
  ]);
});

test('each failure of a resource is logged with the failed phase, and the recovery of the resource is logged only once', async () => {
  const { report, levels } = setUp();
  const phases = [
    { name: 'fine', run: () => undefined },
    { name: 'close the account', run: () => Promise.reject(new Error('WRONGTYPE')) },
    { name: 'never reached', run: () => expect(true).toBe(false) },
  ];
  const error: unknown = await runPhases(phases, 'a').catch((thrown: unknown) => thrown);
  report({ key: 'Tenant/a', ...failed(error, 1) });
  report({ key: 'Tenant/a', ...failed(error, 2) });
  report({ key: 'Tenant/a', ...ok });
  const line = 'error Tenant/a could not be applied; retrying: PhaseFailed: close the account: WRONGTYPE';
  expect(levels()).toEqual([line, line, 'info Tenant/a was applied after earlier failures']);
});
