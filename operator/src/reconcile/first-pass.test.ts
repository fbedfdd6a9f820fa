import { createFirstPass } from './first-pass.ts';

test('the first pass is complete when the first sync and each resource that this sync queued were tried once, whatever is queued later', () => {
  const pass = createFirstPass();
  expect(pass.done()).toBe(false);
  pass.queued('Tenant/a');
  pass.queued('Tenant/b');
  pass.tried('Sync', 'success');
  pass.tried('Tenant/a', 'success');
  expect(pass.done()).toBe(false);
  pass.tried('Tenant/b', 'success');
  expect(pass.done()).toBe(true);
  pass.queued('Tenant/c');
  expect(pass.done()).toBe(true);
});

test('the first pass waits for an unavailable Redis, but not for a resource that cannot be applied', () => {
  const pass = createFirstPass();
  pass.queued('Tenant/a');
  pass.tried('Sync', 'unavailable');
  pass.tried('Tenant/a', 'error');
  expect(pass.done()).toBe(false);
  pass.tried('Sync', 'success');
  expect(pass.done()).toBe(true);
});

test('the first pass does not wait again for a resource that was tried and that a resync queues again', () => {
  const pass = createFirstPass();
  for (const key of ['Tenant/a', 'Tenant/b']) pass.queued(key);
  pass.tried('Sync', 'success');
  pass.tried('Tenant/a', 'success');
  for (const key of ['Sync', 'Tenant/a', 'Tenant/b']) pass.queued(key);
  pass.tried('Tenant/b', 'success');
  expect(pass.done()).toBe(true);
});
