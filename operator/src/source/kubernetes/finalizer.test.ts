import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeMetadata, KubeObject } from '@svc-asr/kubernetes';
import { FINALIZER, isHeld, setHeld } from './finalizer.ts';

function object(metadata: Partial<KubeMetadata> = {}): KubeObject {
  return { apiVersion: 'x', kind: 'Tenant', metadata: { name: 'acme', uid: 'u', resourceVersion: '1', ...metadata } };
}

/** Creates an API with one object. Before each of the first `races` patches, another client changes the object. */
function setUp(stored: KubeObject | undefined, races = 0) {
  const state = { stored, races, patches: [] as unknown[] };
  const api = {
    get: () => Promise.resolve(state.stored),
    mergePatch: (_type: unknown, _name: string, patch: object) => {
      const { metadata } = patch as { metadata: KubeMetadata };
      state.patches.push(metadata.finalizers);
      if (state.stored === undefined) return Promise.reject(new KubernetesError(404, 'NotFound', 'deleted'));
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

test('setHeld adds the finalizer of the operator to the finalizers of other controllers, and removes only the finalizer of the operator', async () => {
  const { api, state } = setUp(object({ finalizers: ['a/b'] }));
  await setHeld(api, 'Tenant', 'acme', true, state.stored);
  expect(state.stored?.metadata.finalizers).toEqual(['a/b', FINALIZER]);
  await setHeld(api, 'Tenant', 'acme', false, state.stored);
  expect(state.stored?.metadata.finalizers).toEqual(['a/b']);
});

test('setHeld writes nothing if the finalizer is already as requested', async () => {
  const { api, state } = setUp(object({ finalizers: [FINALIZER] }));
  await setHeld(api, 'Tenant', 'acme', true, state.stored);
  await setHeld(api, 'Tenant', 'acme', false, object());
  await setHeld(api, 'Tenant', 'acme', false, undefined);
  expect(state.patches).toEqual([]);
});

test('setHeld adds no finalizer to an object that is being deleted', async () => {
  const deleted = object({ deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['a/b'] });
  const { api, state } = setUp(deleted);
  await setHeld(api, 'Tenant', 'acme', true, deleted);
  expect(state.patches).toEqual([]);
});

test('setHeld reads the object again after a conflict and keeps the finalizers of other controllers', async () => {
  const { api, state } = setUp(object({ resourceVersion: '5', finalizers: ['late/one'] }), 1);
  await setHeld(api, 'Tenant', 'acme', true, object({ resourceVersion: '3' }));
  expect(state.stored?.metadata.finalizers).toEqual(['late/one', FINALIZER]);
  expect(isHeld(state.stored!)).toBe(true);
});

test('setHeld ignores an object that was deleted', async () => {
  const { api } = setUp(undefined);
  await setHeld(api, 'Tenant', 'acme', false, object({ finalizers: [FINALIZER] }));
});

test('setHeld rejects after repeated conflicts', async () => {
  const { api, state } = setUp(object(), 100);
  await expect(setHeld(api, 'Tenant', 'acme', true, state.stored)).rejects.toMatchObject({ status: 409 });
  expect(state.patches).toHaveLength(5);
});
