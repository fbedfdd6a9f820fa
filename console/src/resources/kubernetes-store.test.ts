import { API_VERSION } from '@svc-asr/core';
import type { ApiKey, Member, Tenant } from '@svc-asr/core';
import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeMetadata, KubeObject } from '@svc-asr/kubernetes';
import { createKubeObjects } from '../testing/kube-objects.ts';
import { buildTenant } from '../tenants/tenant.ts';
import { createKubernetesStore } from './kubernetes-store.ts';

const open = (pageSize = 500) => {
  const objects = createKubeObjects();
  return { ...objects, store: createKubernetesStore({ api: objects.api, pageSize }) };
};

const tenant = (name: string, displayName = name) => buildTenant(name, { displayName });
const object = (name: string, metadata: Partial<KubeMetadata> = {}, displayName = name): KubeObject => ({
  ...tenant(name, displayName),
  metadata: { name, ...metadata },
});
const key = (owner: string): ApiKey => ({
  apiVersion: API_VERSION,
  kind: 'ApiKey',
  metadata: { name: '8fk2pq9xlm' },
  spec: {
    tenant: owner,
    displayName: '',
    keyId: '8fK2pQ9xLm',
    hash: 'a'.repeat(64),
    pepperId: 'p1',
    lastFour: 'x7Qa',
    expiresAt: null,
  },
});
const rename = (displayName: string) => (current: Tenant | undefined) => {
  if (current === undefined) throw new Error('the tenant does not exist');
  return { ...current, spec: { ...current.spec, displayName } };
};

test('the Kubernetes store keeps both changes if an update conflicts with another writer', async () => {
  const { store, put, find, before } = open();
  put(object('acme'));
  before('replace', () => {
    const known = find('Tenant', 'acme')!;
    put({ ...known, spec: { ...(known.spec as object), state: 'Suspended' } });
  });
  const { resource, previous } = await store.update('Tenant', 'acme', rename('new'));
  expect(resource.spec).toMatchObject({ displayName: 'new', state: 'Suspended' });
  expect(previous?.spec).toMatchObject({ displayName: 'acme', state: 'Suspended' });
});

test('the Kubernetes store keeps labels, annotations and finalizers that the console does not know', async () => {
  const { store, put, find } = open();
  const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e'], uid: 'u' };
  put(object('acme', metadata));
  await store.update('Tenant', 'acme', rename('new'));
  expect(find('Tenant', 'acme')).toMatchObject({ metadata, spec: { displayName: 'new' } });
});

test('if another client creates a resource just before the Kubernetes store does, the change function runs again with that resource', async () => {
  const { store, put, before } = open();
  before('create', () => put(object('acme', {}, 'theirs')));
  const seen: (string | undefined)[] = [];
  await store.update('Tenant', 'acme', (current) => {
    seen.push(current?.spec.displayName);
    return tenant('acme', 'mine');
  });
  expect(seen).toEqual([undefined, 'theirs']);
});

test.each(['create', 'replace'] as const)(
  'the Kubernetes store applies an update only once although the response to its %s request was lost',
  async (verb) => {
    const { store, put, loseAnswer } = open();
    if (verb === 'replace') put(object('acme', {}, 'old'));
    loseAnswer(verb);
    let changes = 0;
    const { resource, previous } = await store.update('Tenant', 'acme', () => {
      changes++;
      return tenant('acme', 'new');
    });
    expect([resource.spec.displayName, previous?.spec.displayName, changes]).toEqual([
      'new',
      verb === 'replace' ? 'old' : undefined,
      1,
    ]);
  },
);

test('the Kubernetes store passes undefined to the change function if the resource was deleted after the last update', async () => {
  const { store, put, api, before } = open();
  put(object('acme'));
  before('replace', () => void api.delete({ group: '', version: '', plural: '', kind: 'Tenant' }, 'acme'));
  // The hook deletes the object just after the write, because `delete` waits for a microtask first.
  await expect(store.update('Tenant', 'acme', rename('new'))).resolves.toBeDefined();
  await expect(store.update('Tenant', 'acme', rename('new'))).rejects.toThrow('the tenant does not exist');
});

test('the Kubernetes store fails with write_conflict if every attempt conflicts', async () => {
  const { store, api, put } = open();
  put(object('acme'));
  const refusing = createKubernetesStore({
    api: { ...api, replace: () => Promise.reject(new KubernetesError(409, 'Conflict', 'Conflict')) },
    pageSize: 1,
  });
  await expect(refusing.update('Tenant', 'acme', rename('new'))).rejects.toMatchObject({ code: 'write_conflict' });
  expect((await store.get('Tenant', 'acme'))?.resource.spec.displayName).toBe('acme');
});

test('the Kubernetes store does not find or recreate an object while it is being deleted', async () => {
  const { store, put } = open();
  put(object('acme', { deletionTimestamp: '2030-01-01T00:00:00Z' }));
  expect(await store.list('Tenant')).toEqual([]);
  expect(await store.get('Tenant', 'acme')).toBeUndefined();
  expect(await store.delete('Tenant', 'acme')).toBe(false);
  await expect(store.update('Tenant', 'acme', rename('new'))).rejects.toThrow('the tenant does not exist');
  await expect(store.update('Tenant', 'acme', () => tenant('acme'))).rejects.toMatchObject({ code: 'being_deleted' });
});

test('the Kubernetes store makes the tenant the owner of a new key, and fails if the tenant does not exist or is being deleted', async () => {
  const { store, put, find } = open();
  const make = () => store.update('ApiKey', '8fk2pq9xlm', () => key('acme'));
  await expect(make()).rejects.toMatchObject({ code: 'tenant_not_found' });
  put(object('acme', { uid: 'u1', deletionTimestamp: '2030-01-01T00:00:00Z' }));
  await expect(make()).rejects.toMatchObject({ code: 'tenant_not_found' });
  put(object('acme', { uid: 'u2' }));
  await make();
  const owner = { apiVersion: API_VERSION, kind: 'Tenant', name: 'acme', uid: 'u2' };
  expect(find('ApiKey', '8fk2pq9xlm')?.metadata.ownerReferences).toEqual([owner]);
});

test('the Kubernetes store reports an unreadable object, lists all other objects, and can delete an unreadable object that is a key', async () => {
  const { store, put } = open(1);
  put(object('acme'));
  put({ ...object('odd'), spec: { displayName: 'Odd', colour: 'red' } });
  put({ apiVersion: API_VERSION, kind: 'ApiKey', metadata: { name: 'odd-key' }, spec: {} });
  put(object('other'));
  expect((await store.list('Tenant')).map(({ resource }) => resource.metadata.name)).toEqual(['acme', 'other']);
  expect((await store.unreadable()).map(({ file }) => file)).toEqual(['Tenant/odd', 'ApiKey/odd-key']);
  await expect(store.get('Tenant', 'odd')).rejects.toMatchObject({ code: 'unreadable_resource' });
  await expect(store.update('Tenant', 'odd', rename('x'))).rejects.toMatchObject({ code: 'unreadable_resource' });
  expect(await store.delete('ApiKey', 'odd-key')).toBe(true);
});

test('the Kubernetes store starts a list again if its pages expire', async () => {
  const { store, put, before } = open(1);
  for (const name of ['a', 'b', 'c']) put(object(name));
  before('list', () =>
    before('list', () => {
      throw new KubernetesError(410, 'Expired', 'too old');
    }),
  );
  expect(await store.list('Tenant')).toHaveLength(3);
});

test.each(['', '..', 'acme/status', 'Acme', 'a'.repeat(64)])(
  'the Kubernetes store finds nothing under the invalid name %j and sends no request',
  async (name) => {
    const { store, before } = open();
    before('get', () => {
      throw new Error('unexpected request');
    });
    expect(await store.get('Tenant', name)).toBeUndefined();
    expect(await store.delete('ApiKey', name)).toBe(false);
  },
);

const member = (name: string, spec: Partial<Member['spec']>): Member => ({
  apiVersion: API_VERSION,
  kind: 'Member',
  metadata: { name },
  spec: { tenant: 'acme', role: 'owner', ...spec },
});
const grace = { issuer: 'https://login.example', subject: 'grace' };
const invitation = { hash: 'a'.repeat(64), pepperId: 'p1', expiresAt: '2030-01-01T00:00:00Z', invitedBy: 'x' };

test('the Kubernetes store finds a Member by its user after the invitation was accepted, and makes the Tenant the owner of the Member', async () => {
  const { store, put, find } = open();
  put(object('acme'));
  await store.update('Member', 'm1', () => member('m1', { invitation }));
  expect(await store.membershipsOf(grace)).toEqual([]);
  await store.update('Member', 'm1', () => member('m1', grace));
  const names = (members: readonly { resource: Member }[]) => members.map(({ resource }) => resource.metadata.name);
  expect(names(await store.membershipsOf(grace))).toEqual(['m1']);
  expect(names(await store.membershipsOf({ ...grace, issuer: 'https://other.example' }))).toEqual([]);
  expect(find('Member', 'm1')?.metadata).toMatchObject({
    labels: { 'asr.svc.dev/tenant': 'acme', 'asr.svc.dev/user': expect.stringMatching(/^[0-9a-f]{40}$/) },
    ownerReferences: [{ kind: 'Tenant', name: 'acme' }],
  });
});

test('the Kubernetes store finds Members without labels, which were created with kubectl', async () => {
  const { store, put } = open();
  put(object('acme'));
  put({ ...member('m1', grace), metadata: { name: 'm1' } });
  put({ ...member('m2', { ...grace, tenant: 'other' }), metadata: { name: 'm2' } });
  expect((await store.membersOf('acme')).map(({ resource }) => resource.metadata.name)).toEqual(['m1']);
  expect((await store.membershipsOf(grace)).map(({ resource }) => resource.spec.tenant)).toEqual(['acme', 'other']);
});

test('the Kubernetes store makes the Tenant the owner of a Member that was created with kubectl', async () => {
  const { store, put, find } = open();
  put(object('acme', { uid: 'u1' }));
  put({ ...member('m1', grace), metadata: { name: 'm1' } });
  await store.update('Member', 'm1', () => member('m1', { ...grace, name: 'Grace' }));
  const owner = { apiVersion: API_VERSION, kind: 'Tenant', name: 'acme', uid: 'u1' };
  expect(find('Member', 'm1')?.metadata.ownerReferences).toEqual([owner]);
});

test('the Kubernetes store does not delete a resource if the check before the deletion throws, or if the resource changes after the check', async () => {
  const { store, put, find, before } = open();
  put(object('acme'));
  const keep = () => {
    throw new Error('the tenant stays');
  };
  await expect(store.delete('Tenant', 'acme', keep)).rejects.toThrow('the tenant stays');
  before('delete', () => put(object('acme', {}, 'renamed')));
  const allow = () => undefined;
  await expect(store.delete('Tenant', 'acme', allow)).rejects.toMatchObject({ code: 'write_conflict' });
  expect(find('Tenant', 'acme')).toMatchObject({ spec: { displayName: 'renamed' } });
  expect(await store.delete('Tenant', 'acme', allow)).toBe(true);
  expect(find('Tenant', 'acme')).toBeUndefined();
});
