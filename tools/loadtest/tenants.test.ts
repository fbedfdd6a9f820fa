import type { Admin } from './admin.ts';
import { createTenants } from './tenants.ts';

function adminWith(changes: Partial<Admin> = {}): Admin & { removed: string[] } {
  const removed: string[] = [];
  return {
    removed,
    createTenant: () => Promise.resolve('key'),
    removeTenant: (name) => {
      removed.push(name);
      return Promise.resolve();
    },
    account: () => Promise.reject(new Error('not asked for')),
    usage: () => Promise.reject(new Error('not asked for')),
    ...changes,
  };
}

test('removes every tenant that it made, once', async () => {
  const admin = adminWith();
  const tenants = createTenants(admin);
  await tenants.add('regular', 5);
  await tenants.add('noisy', 5);
  expect(tenants.callers.map(({ role }) => role)).toEqual(['regular', 'noisy']);
  await tenants.remove();
  await tenants.remove();
  expect(admin.removed).toEqual(tenants.callers.map(({ tenant }) => tenant));
});

test('removes a tenant whose making failed half way', async () => {
  const admin = adminWith({ createTenant: () => Promise.reject(new Error('no key')) });
  const tenants = createTenants(admin);
  await expect(tenants.add('regular', 5)).rejects.toThrow('no key');
  await tenants.remove();
  expect(admin.removed).toHaveLength(1);
});
