import { findChanged, versionOf } from './versions.ts';

const OURS = { manager: 'operator', operation: 'Apply', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': {} } };
const OTHER = { manager: 'kube-controller-manager', operation: 'Update', time: '2026-01-01T00:00:01Z', fieldsV1: {} };

function buildObject(managedFields: readonly object[], metadata: object = {}) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', uid: 'u', resourceVersion: '7', managedFields, ...metadata },
  };
}

const versionWith = (...entries: object[]) => versionOf(buildObject(entries), 'operator');

test('versionOf returns the same version after another field manager has written to the object', () => {
  const object = buildObject([OURS, OTHER], { resourceVersion: '8' });
  expect(versionOf(object, 'operator')).toBe(versionWith(OURS));
});

test('versionOf returns a new version after the given field manager has written to the object', () => {
  expect(versionWith({ ...OURS, time: '2026-01-01T00:00:09Z' })).not.toBe(versionWith(OURS));
  expect(versionWith(OURS, { ...OURS, subresource: 'status' })).not.toBe(versionWith(OURS));
});

test('versionOf returns a new version after the object was recreated', () => {
  expect(versionOf(buildObject([OURS], { uid: 'v' }), 'operator')).not.toBe(versionWith(OURS));
});

test('findChanged returns changed, deleted and created objects', () => {
  const before = new Map(Object.entries({ same: '1', changed: '1', deleted: '1' }));
  const after = new Map(Object.entries({ same: '1', changed: '2', created: '1' }));
  expect(findChanged(before, after)).toEqual(['changed', 'deleted', 'created']);
});
