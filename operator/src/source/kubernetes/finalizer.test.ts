import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeMetadata, KubeObject } from '@svc-asr/kubernetes';
import { FINALIZER, isHeld, setHeld } from './finalizer.ts';

function object(metadata: Partial<KubeMetadata> = {}): KubeObject {
  return { apiVersion: 'x', kind: 'Tenant', metadata: { name: 'acme', uid: 'u', resourceVersion: '1', ...metadata } };
}

/** An object that changes `races` times just before it is written to. */
function setUp(stored: KubeObject | undefined, races = 0) {
  const state = { stored, races, patches: [] as unknown[] };
  const api = {
    get: () => Promise.resolve(state.stored),
    mergePatch: (_type: unknown, _name: string, patch: object) => {
      const { metadata } = patch as { metadata: KubeMetadata };
      state.patches.push(metadata.finalizers);
      if (state.stored === undefined) return Promise.reject(new KubernetesError(404, 'NotFound', 'gone'));
      if (state.races > 0) {
        state.races -= 1;
        const next = String(Number(state.stored.metadata.resourceVersion) + 1);
        state.stored = object({ ...state.stored.metadata, resourceVersion: next });
      }
      if (metadata.resourceVersion !== state.stored.metadata.resourceVersion) {
        return Promise.reject(new KubernetesError(409, 'Conflict', 'changed'));
      }
      state.stored = object({ ...state.stored.metadata, ...metadata });
      return Promise.resolve(state.stored);
    },
  };
  return { api, state };
}

test('adds its finalizer to those of others, and takes away its own alone', async () => {
  const { api, state } = setUp(object({ finalizers: ['a/b'] }));
  await setHeld(api, 'Tenant', 'acme', true, state.stored);
  expect(state.stored?.metadata.finalizers).toEqual(['a/b', FINALIZER]);
  await setHeld(api, 'Tenant', 'acme', false, state.stored);
  expect(state.stored?.metadata.finalizers).toEqual(['a/b']);
});

test('writes nothing where it is as it should be', async () => {
  const { api, state } = setUp(object({ finalizers: [FINALIZER] }));
  await setHeld(api, 'Tenant', 'acme', true, state.stored);
  await setHeld(api, 'Tenant', 'acme', false, object());
  await setHeld(api, 'Tenant', 'acme', false, undefined);
  expect(state.patches).toEqual([]);
});

test('one that is being deleted takes no new finalizer', async () => {
  const leaving = object({ deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['a/b'] });
  const { api, state } = setUp(leaving);
  await setHeld(api, 'Tenant', 'acme', true, leaving);
  expect(state.patches).toEqual([]);
});

test('what others wrote meanwhile is looked at again and kept', async () => {
  const { api, state } = setUp(object({ resourceVersion: '5', finalizers: ['late/one'] }), 1);
  await setHeld(api, 'Tenant', 'acme', true, object({ resourceVersion: '3' }));
  expect(state.stored?.metadata.finalizers).toEqual(['late/one', FINALIZER]);
  expect(isHeld(state.stored!)).toBe(true);
});

test('an object that is gone needs no release', async () => {
  const { api } = setUp(undefined);
  await setHeld(api, 'Tenant', 'acme', false, object({ finalizers: [FINALIZER] }));
});

test('a conflict that does not end is told', async () => {
  const { api, state } = setUp(object(), 100);
  await expect(setHeld(api, 'Tenant', 'acme', true, state.stored)).rejects.toMatchObject({ status: 409 });
  expect(state.patches).toHaveLength(5);
});
