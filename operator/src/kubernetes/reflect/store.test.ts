import type { KubeObject } from '@svc-asr/kubernetes';
import { createObjectStore } from './store.ts';

const object = (name: string, resourceVersion: string, uid = name): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, resourceVersion, uid },
});

test('replace() of the object store returns the names of the objects that were added, changed and deleted', () => {
  const store = createObjectStore();
  expect(store.replace([object('a', '1'), object('b', '1'), object('c', '1')])).toEqual(['a', 'b', 'c']);
  expect(store.replace([object('a', '1'), object('b', '2'), object('d', '1')])).toEqual(['c', 'b', 'd']);
  expect(store.replace([object('a', '1'), object('b', '2'), object('d', '1')])).toEqual([]);
});

test('replace() of the object store reports a recreated object as changed, even if its resource version is the same as before', () => {
  const store = createObjectStore();
  store.replace([object('a', '1', 'first')]);
  expect(store.replace([object('a', '1', 'second')])).toEqual(['a']);
});

test('put() of the object store replaces an object, and remove() deletes it', () => {
  const store = createObjectStore();
  store.put(object('a', '1'));
  store.put(object('a', '2'));
  expect(store.get('a')?.metadata.resourceVersion).toBe('2');
  store.remove('a');
  expect(store.list()).toEqual([]);
});
