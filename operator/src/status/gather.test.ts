import { buildApiKeyFields, findRefusal } from './apikey.ts';
import { buildTenantFields } from './tenant.ts';

const T1 = Date.UTC(2030, 0, 1);
const account = { availableMs: 3_512_000, reservedMs: 60_000, consumedMs: 28_000, liveSessions: 1 };

test('a balance has the time at which it became what it is', () => {
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

const key = { spec: { tenant: 'acme' } } as Parameters<typeof findRefusal>[0];
test.each([
  [{ revoked: false }, true, undefined],
  [undefined, true, undefined],
  [{ revoked: true }, true, 'Revoked'],
  [{ revoked: false }, false, 'TenantMissing'],
])('a key of which the ledger says %j, tenant there: %s, is refused because of %s', (record, hasTenant, reason) => {
  expect(findRefusal(key, record, hasTenant)?.reason).toBe(reason);
});

test('a key that was never used has no last use', () => {
  expect(buildApiKeyFields(key, undefined)).toEqual({ expires: 'never' });
  expect(buildApiKeyFields(key, T1)).toEqual({ expires: 'never', lastUsedAt: '2030-01-01T00:00:00Z' });
});
