import { LedgerUnavailable } from '@svc-asr/ledger';
import { LedgerMissing } from '../ledger/guard.ts';
import { createNotices } from '../notices.ts';
import { createTestLogger } from '../testing/logs.ts';
import { createOutcomeReport } from './outcome.ts';
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

test('counts every try by kind and result', () => {
  const { report, counted } = setUp();
  expect(report({ key: 'Tenant/a', ...ok })).toBe('success');
  expect(report({ key: 'ASRModel/a', ...failed(new Error('broken')) })).toBe('error');
  expect(report({ key: 'Sync', ...failed(new LedgerUnavailable('away')) })).toBe('unavailable');
  expect(counted).toEqual(['Tenant success', 'ASRModel error', 'Sync unavailable']);
});

test('tells once that Redis is away, whichever phases of however many resources notice it, and once that it is back', () => {
  const { report, levels } = setUp();
  for (const name of ['a', 'b', 'c']) {
    const error = new PhaseFailed('close the account', new LedgerUnavailable('away'));
    expect(report({ key: `Tenant/${name}`, ...failed(error) })).toBe('unavailable');
  }
  report({ key: 'Tenant/a', ...ok });
  report({ key: 'Tenant/b', ...ok });
  expect(levels()).toEqual([
    'warn Redis does not answer; what changes is applied when it does',
    'info Redis answers again',
  ]);
});

test('what succeeds without having waited for Redis says nothing of it', () => {
  const { report, levels } = setUp();
  report({ key: 'Tenant/a', ...failed(new LedgerUnavailable('away')) });
  report({ key: 'Tenant/b', ...ok });
  expect(levels()).toHaveLength(1);
  report({ key: 'Tenant/a', ...ok });
  expect(levels()[1]).toBe('info Redis answers again');
});

test('a missing ledger is an error, and not the same as a Redis that does not answer', () => {
  const { report, levels } = setUp();
  report({ key: 'Tenant/a', ...failed(new LedgerMissing('emptied')) });
  report({ key: 'Tenant/a', ...ok });
  expect(levels()).toEqual([
    'error the ledger is missing: nothing is written to Redis, and gateways answer 503',
    'info the ledger is there again',
  ]);
});

test('tells of each failure of a resource by its own fault, with the phase, and that it is well again', async () => {
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
  const line = 'error Tenant/a could not be applied and is tried again: PhaseFailed: close the account: WRONGTYPE';
  expect(levels()).toEqual([line, line, 'info Tenant/a is well again']);
});
