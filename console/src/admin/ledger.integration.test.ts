import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: false });
});
afterAll(() => console_.stop());
beforeEach(() => console_.ledger.link.send('', ['FLUSHALL']));

const plan = {
  ledgerId: 'mine',
  tenants: [
    { tenant: 'acme', grantedMs: 60_000, consumedMs: 1000, checkpointAt: '2026-01-01T00:00:00.000Z' },
    { tenant: 'other', grantedMs: 5000 },
  ],
};
const requestRebuild = (ledgerId: string) =>
  console_.call('POST', '/admin/v1/ledger/rebuild', { body: { ledger_id: ledgerId } });

test('GET ledger returns the id of an existing ledger, and POST ledger/rebuild refuses to rebuild it', async () => {
  await console_.ledger.identity.claim('mine');
  await console_.ledger.identity.showPlan(plan);
  const { status, body } = await console_.call('GET', '/admin/v1/ledger');
  expect([status, body]).toEqual([200, { object: 'ledger', ledger_id: 'mine', rebuild: null }]);
  expect(await requestRebuild('mine')).toMatchObject({ status: 409, body: { error: { code: 'ledger_not_missing' } } });
});

test('GET ledger returns the rebuild plan if the ledger is missing', async () => {
  await console_.ledger.identity.showPlan(plan);
  const { body } = await console_.call('GET', '/admin/v1/ledger');
  expect(body).toMatchObject({
    ledger_id: null,
    rebuild: {
      ledger_id: 'mine',
      tenants: [
        { tenant: 'acme', granted_ms: 60_000, consumed_ms: 1000, checkpoint_at: '2026-01-01T00:00:00.000Z' },
        { tenant: 'other', granted_ms: 5000, consumed_ms: null, checkpoint_at: null },
      ],
    },
  });
});

test('POST ledger/rebuild accepts only the id of the missing ledger', async () => {
  expect(await requestRebuild('mine')).toMatchObject({ status: 409, body: { error: { code: 'ledger_not_missing' } } });
  await console_.ledger.identity.showPlan(plan);
  expect(await requestRebuild('other')).toMatchObject({ status: 409, body: { error: { code: 'ledger_conflict' } } });
  expect(await console_.ledger.identity.requestedRebuild()).toBeUndefined();
  expect(await requestRebuild('mine')).toMatchObject({ status: 202, body: { requested: true } });
  expect(await console_.ledger.identity.requestedRebuild()).toBe('mine');
  expect(await console_.call('POST', '/admin/v1/ledger/rebuild', { body: {} })).toMatchObject({ status: 400 });
  expect(await console_.call('GET', '/admin/v1/ledger/rebuild')).toMatchObject({ status: 405 });
});
