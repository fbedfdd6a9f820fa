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
const ask = (ledgerId: string) => console_.call('POST', '/admin/v1/ledger/rebuild', { body: { ledger_id: ledgerId } });

test('a ledger that is there is shown, and cannot be rebuilt', async () => {
  await console_.ledger.identity.claim('mine');
  await console_.ledger.identity.showPlan(plan);
  const { status, body } = await console_.call('GET', '/admin/v1/ledger');
  expect([status, body]).toEqual([200, { object: 'ledger', ledger_id: 'mine', rebuild: null }]);
  expect(await ask('mine')).toMatchObject({ status: 409, body: { error: { code: 'ledger_not_missing' } } });
});

test('of a missing ledger it is shown what a rebuild would restore', async () => {
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

test('a rebuild is asked for by the id of the missing ledger alone', async () => {
  expect(await ask('mine')).toMatchObject({ status: 409, body: { error: { code: 'ledger_not_missing' } } });
  await console_.ledger.identity.showPlan(plan);
  expect(await ask('other')).toMatchObject({ status: 409, body: { error: { code: 'ledger_conflict' } } });
  expect(await console_.ledger.identity.requestedRebuild()).toBeUndefined();
  expect(await ask('mine')).toMatchObject({ status: 202, body: { requested: true } });
  expect(await console_.ledger.identity.requestedRebuild()).toBe('mine');
  expect(await console_.call('POST', '/admin/v1/ledger/rebuild', { body: {} })).toMatchObject({ status: 400 });
  expect(await console_.call('GET', '/admin/v1/ledger/rebuild')).toMatchObject({ status: 405 });
});
