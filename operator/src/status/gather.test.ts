import { buildApiKeyFields, findRefusal } from './apikey.ts';
import { buildTenantFields, findUnknownModels } from './tenant.ts';

const T1 = Date.UTC(2030, 0, 1);
const account = {
  availableMs: 3_512_000,
  reservedMs: 60_000,
  consumedMs: 28_000,
  liveSessions: 1,
  limitedCorrections: [],
};

test('buildTenantFields changes the checkpoint time of a balance only if the balance has changed', () => {
  const first = buildTenantFields(account, {}, T1);
  expect(first).toEqual({
    credits: {
      availableMs: 3_512_000,
      reservedMs: 60_000,
      consumedMs: 28_000,
      checkpointAt: '2030-01-01T00:00:00Z',
      available: '58m32s',
      reserved: '1m',
      consumed: '28s',
    },
    liveSessions: 1,
  });
  expect(buildTenantFields(account, first, T1 + 60_000)).toEqual(first);
  const less = buildTenantFields({ ...account, availableMs: 0 }, first, T1 + 60_000);
  expect(less.credits).toMatchObject({ availableMs: 0, checkpointAt: '2030-01-01T00:01:00Z' });
});

test.each([
  ['that is configured', 36_000_000, { renewsAt: '2030-02-01T00:00:00Z' }],
  ['that was removed, without a renewal', 0, {}],
])('buildTenantFields reports a budget %s', (_name, monthlyMs, renewal) => {
  const budget = { month: '2030-01', remainingMs: 72_000, usedMs: 8000, grantedMs: 90_000 };
  const { credits } = buildTenantFields(
    { ...account, budget: { ...budget, monthlyMs, renewsAtMs: Date.UTC(2030, 1, 1) } },
    {},
    T1,
  );
  expect(credits?.budget).toEqual({ ...budget, ...renewal, remaining: '1m12s' });
});

test.each([
  [['a', 'b'], 'False', 'Each model of spec.limits.models exists'],
  [['a', 'typo', 'b', 'gone'], 'True', 'spec.limits.models has models that do not exist: typo, gone'],
])(
  'if spec.limits.models names %j, findUnknownModels returns a condition with the status %s',
  (names, status, message) => {
    const limits = names.map((model) => ({ model }));
    expect(findUnknownModels(limits, (model) => ['a', 'b'].includes(model))).toMatchObject({ status, message });
  },
);

const key = { spec: { tenant: 'acme' } } as Parameters<typeof findRefusal>[0];
test.each([
  [{ revoked: false }, true, undefined],
  [undefined, true, undefined],
  [{ revoked: true }, true, 'Revoked'],
  [{ revoked: false }, false, 'TenantMissing'],
])('findRefusal(record %j, tenant exists: %s) is %s', (record, hasTenant, reason) => {
  expect(findRefusal(key, record, hasTenant)?.reason).toBe(reason);
});

test('buildApiKeyFields leaves out lastUsedAt for a key that was never used', () => {
  expect(buildApiKeyFields(key, undefined)).toEqual({ expires: 'never' });
  expect(buildApiKeyFields(key, T1)).toEqual({ expires: 'never', lastUsedAt: '2030-01-01T00:00:00Z' });
});
