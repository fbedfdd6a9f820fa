import type { KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Reflector } from '../../kubernetes/reflector.ts';
import { createNotices } from '../../notices.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { apiKey, model, tenant } from '../../testing/resources.ts';
import { FINALIZER } from './finalizer.ts';
import { KubernetesSource } from './source.ts';
import type { KubernetesSourceOptions } from './source.ts';
import { trimResource } from './trim.ts';

/** Creates a source with fake reflectors, whose objects the test sets. */
function setUp() {
  const kinds = new Map<
    string,
    { objects: Map<string, KubeObject>; onChange: (name: string) => void; sync: () => void }
  >();
  const reflect = (type: ResourceType, { onChange }: { onChange: (name: string) => void }): Reflector => {
    const objects = new Map<string, KubeObject>();
    let synced = false;
    let resolve: () => void = () => undefined;
    const first = new Promise<void>((done) => {
      resolve = done;
    });
    const sync = () => {
      synced = true;
      resolve();
    };
    kinds.set(type.kind, { objects, onChange, sync });
    return {
      start: () => first,
      stop: () => resolve(),
      synced: () => synced,
      get: (name) => objects.get(name),
      list: () => [...objects.values()],
    };
  };
  const patches: [string, unknown][] = [];
  const api = {
    get: () => Promise.resolve(undefined),
    mergePatch: (_type: ResourceType, name: string, patch: object) => {
      patches.push([name, patch]);
      return Promise.resolve({ apiVersion: '', kind: '', metadata: { name } });
    },
  };
  const { logger, at } = createTestLogger();
  const scopes = [{ api, reflect }] as unknown as KubernetesSourceOptions['scopes'];
  const source = new KubernetesSource({ scopes, timeoutMs: 0, notices: createNotices(), logger });
  const events: string[] = [];
  const listener = { onChange: (key: string) => events.push(key), onSettled: () => events.push('settled') };

  const put = (resource: object, metadata: object = {}) => {
    const object = resource as KubeObject;
    const known = kinds.get(object.kind)!;
    const before = known.objects.get(object.metadata.name);
    const generation = (before?.metadata.generation ?? 0) + 1;
    const uid = `uid-${object.metadata.name}`;
    known.objects.set(object.metadata.name, {
      ...object,
      metadata: { ...object.metadata, uid, generation, resourceVersion: `${generation}`, ...metadata },
    });
    known.onChange(object.metadata.name);
  };
  const remove = (kind: string, name: string) => {
    kinds.get(kind)!.objects.delete(name);
    kinds.get(kind)!.onChange(name);
  };
  const sync = () => {
    for (const kind of kinds.values()) kind.sync();
  };
  const start = async () => {
    const started = source.start(listener);
    sync();
    await started;
  };
  return { source, events, put, remove, sync, start, patches, at };
}

const held = { finalizers: [FINALIZER] };
const bad = (name: string) => tenant(name, { limits: { concurrentSessions: 0 } });

test('the Kubernetes source lists resources and reports additions, changes and deletions, but not a changed status', async () => {
  const { source, events, put, remove, start } = setUp();
  put(tenant('acme'));
  put(model('m1'));
  expect(source.unsettled()).toBe('not everything has been listed yet');
  await start();
  expect([events, source.unsettled()]).toEqual([['settled'], undefined]);
  put(apiKey('8fK2pQ9xLm', 'acme'));
  put(tenant('acme', { displayName: 'Acme' }));
  expect(source.get('Tenant', 'acme')?.spec.displayName).toBe('Acme');
  const eventCount = events.length;
  put(tenant('acme', { displayName: 'Acme' }), { generation: 2, resourceVersion: '99' });
  expect(events).toHaveLength(eventCount);
  remove('Tenant', 'acme');
  expect(events.slice(1)).toEqual(['ApiKey/8fk2pq9xlm', 'Tenant/acme', 'Tenant/acme']);
  expect(source.get('Tenant', 'acme')).toBeUndefined();
  expect(source.list().map(({ kind }) => kind)).toEqual(['ASRModel', 'ApiKey']);
});

test('start() of the Kubernetes source resolves when all three kinds have been listed', async () => {
  const { source, sync, events } = setUp();
  let started = false;
  void source
    .start({ onChange: () => undefined, onSettled: () => events.push('settled') })
    .then(() => (started = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([started, source.synced()]).toEqual([false, false]);
  sync();
  await new Promise((resolve) => setImmediate(resolve));
  expect([started, source.synced(), events]).toEqual([true, true, ['settled']]);
});

test('the Kubernetes source reports an invalid resource only once, and keeps the last valid version until the resource is valid again', async () => {
  const { source, events, put, start, at } = setUp();
  put(tenant('acme', { displayName: 'one' }), held);
  await start();
  put(bad('acme'), held);
  expect(source.get('Tenant', 'acme')?.spec.displayName).toBe('one');
  expect(source.problems('Tenant', 'acme')).toEqual([
    { field: 'spec.limits.concurrentSessions', message: expect.any(String) },
  ]);
  expect([source.invalidCount(), source.unsettled(), events.at(-1)]).toEqual([1, undefined, 'Tenant/acme']);
  expect(at('error')).toMatchObject([
    { resource: 'Tenant/acme', problems: [{ field: 'spec.limits.concurrentSessions' }] },
  ]);
  put(tenant('acme'), held);
  expect([source.invalidCount(), source.problems('Tenant', 'acme')]).toEqual([0, undefined]);
});

test('unsettled() of the Kubernetes source returns a reason while an object that an earlier operator applied is invalid', async () => {
  const { source, events, put, start } = setUp();
  put(bad('acme'), held);
  put(bad('new'));
  await start();
  expect(source.unsettled()).toBe('Tenant/acme is invalid, and its last valid version is unknown');
  expect(source.get('Tenant', 'acme')).toBeUndefined();
  put(tenant('acme'), held);
  expect([source.unsettled(), events]).toEqual([undefined, ['Tenant/acme', 'settled']]);
  put(bad('acme'), held);
  expect(source.unsettled()).toBeUndefined();
});

test('while a deleted resource has the finalizer of the operator, keys() of the Kubernetes source lists the resource, but get() does not return it', async () => {
  const { source, events, put, remove, start } = setUp();
  put(tenant('acme'), held);
  await start();
  put(tenant('acme'), { ...held, deletionTimestamp: '2030-01-01T00:00:00Z' });
  expect([source.get('Tenant', 'acme'), source.isDeleting('Tenant', 'acme'), source.keys()]).toEqual([
    undefined,
    true,
    ['Tenant/acme'],
  ]);
  put(tenant('acme'), { finalizers: ['of/others'], deletionTimestamp: '2030-01-01T00:00:00Z' });
  expect(source.isDeleting('Tenant', 'acme')).toBe(false);
  remove('Tenant', 'acme');
  expect([source.keys(), events.filter((event) => event === 'Tenant/acme').length]).toEqual([[], 3]);
});

test('hold() of the Kubernetes source adds the finalizer of the operator to a resource, and release() removes it', async () => {
  const { source, put, start, patches } = setUp();
  put(tenant('acme'));
  await start();
  await source.hold('Tenant', 'acme');
  put(tenant('acme'), held);
  await source.hold('Tenant', 'acme');
  await source.release('Tenant', 'acme');
  expect(patches).toEqual([
    ['acme', { metadata: { resourceVersion: '1', uid: 'uid-acme', finalizers: [FINALIZER] } }],
    ['acme', { metadata: { resourceVersion: '2', uid: 'uid-acme', finalizers: [] } }],
  ]);
});

test('the Kubernetes source keeps only one copy of the spec, metadata and status of a resource in memory', async () => {
  const { source, put, start } = setUp();
  put({ ...tenant('acme'), status: { liveSessions: 1 } });
  await start();
  for (let version = 1; version <= 2; version++) {
    const [object, resource] = [source.object('Tenant', 'acme'), source.get('Tenant', 'acme')];
    expect(resource?.spec).toMatchObject({ displayName: 'acme', state: 'Waitlisted' });
    for (const part of ['spec', 'metadata', 'status'] as const) expect(object?.[part]).toBe(resource?.[part]);
    // The second version differs only in its status.
    put({ ...tenant('acme'), status: { liveSessions: 2 } }, { generation: 1, resourceVersion: '2' });
  }
});

test('the Kubernetes source lists the resources of one kind', async () => {
  const { source, put, start } = setUp();
  put(tenant('acme'));
  put(model('m1'));
  put(bad('other'));
  await start();
  expect(source.list('Tenant').map(({ metadata }) => metadata.name)).toEqual(['acme']);
  expect(source.list('ApiKey')).toEqual([]);
  expect(source.list()).toHaveLength(2);
});

test('trimResource keeps what the operator reads, and drops labels, annotations and managed fields', () => {
  const kept = {
    name: 'acme',
    uid: 'u',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: 'c',
    finalizers: ['f'],
  };
  const dropped = { labels: { a: 'b' }, annotations: { a: 'b' }, managedFields: [{}], selfLink: 'x' };
  const object = {
    ...tenant('acme'),
    metadata: { ...kept, ...dropped },
    status: { liveSessions: 1 },
  } as unknown as KubeObject;
  expect(trimResource(object)).toEqual({ ...object, metadata: kept });
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  const deleted = { ...tenant('acme'), metadata: { name: 'acme', deletionTimestamp } } as unknown as KubeObject;
  expect(trimResource(deleted)).toEqual(deleted);
});
