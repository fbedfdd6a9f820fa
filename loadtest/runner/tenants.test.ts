import type { Admin } from './admin.ts';
import { createTenants } from './tenants.ts';

function createFakeAdmin(changes: Partial<Admin> = {}): Admin & { removed: string[] } {
  const removed: string[] = [];
  return {
    removed,
    createTenant: () => Promise.resolve('key'),
    removeTenant: (name) => {
      removed.push(name);
      return Promise.resolve();
    },
    account: () => Promise.reject(new Error('unexpected call')),
    usage: () => Promise.reject(new Error('unexpected call')),
    ...changes,
  };
}

test('createTenants removes every tenant that it created once', async () => {
  const admin = createFakeAdmin();
  const tenants = createTenants(admin);
  await tenants.add('regular', 5);
  await tenants.add('noisy', 5);
  expect(tenants.callers.map(({ role }) => role)).toEqual(['regular', 'noisy']);
  await tenants.remove();
  await tenants.remove();
  expect(admin.removed).toEqual(tenants.callers.map(({ tenant }) => tenant));
});

test('createTenants removes a tenant whose creation failed', async () => {
  const admin = createFakeAdmin({ createTenant: () => Promise.reject(new Error('no key')) });
  const tenants = createTenants(admin);
  await expect(tenants.add('regular', 5)).rejects.toThrow('no key');
  await tenants.remove();
  expect(admin.removed).toHaveLength(1);
});
