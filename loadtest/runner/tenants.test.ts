import type { Admin } from './admin.ts';
import { createTenants } from './tenants.ts';
import { balancesOf } from './testing/metrics.ts';

const LIMITS = { concurrentSessions: 5, sessionsPerMinute: 60, requestsPerMinute: 600 };

function createFakeAdmin(changes: Partial<Admin> = {}): Admin & { removed: string[] } {
  const removed: string[] = [];
  return {
    removed,
    createTenant: () => Promise.resolve('key'),
    removeTenant: (name) => {
      removed.push(name);
      return Promise.resolve();
    },
    readBalances: () => Promise.reject(new Error('unexpected call')),
    ...changes,
  };
}

test('the remove function of createTenants removes every created tenant only once, even if it is called twice', async () => {
  const admin = createFakeAdmin();
  const tenants = createTenants(admin);
  await tenants.add('regular', LIMITS);
  await tenants.add('noisy', LIMITS);
  expect(tenants.callers.map(({ role }) => role)).toEqual(['regular', 'noisy']);
  await tenants.remove();
  await tenants.remove();
  expect(admin.removed).toEqual(tenants.callers.map(({ tenant }) => tenant));
});

test('the remove function of createTenants also removes a tenant whose creation failed', async () => {
  const admin = createFakeAdmin({ createTenant: () => Promise.reject(new Error('no key')) });
  const tenants = createTenants(admin);
  await expect(tenants.add('regular', LIMITS)).rejects.toThrow('no key');
  await tenants.remove();
  expect(admin.removed).toHaveLength(1);
});

test('readBalances waits until no credit is reserved, but not longer than the given time', async () => {
  const reserved = balancesOf(0, { reservedMs: 60_000 });
  const reads = [reserved, balancesOf(3000)];
  const tenants = createTenants(createFakeAdmin({ readBalances: () => Promise.resolve(reads.shift() ?? reserved) }));
  await tenants.add('regular', LIMITS);
  expect(await tenants.readBalances(60_000)).toEqual([balancesOf(3000)]);
  expect(await tenants.readBalances(0)).toEqual([reserved]);
});
