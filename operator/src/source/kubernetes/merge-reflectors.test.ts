import type { KubeObject } from '@svc-asr/kubernetes';
import type { Reflector } from '../../kubernetes/reflector.ts';
import { FINALIZER } from './finalizer.ts';
import { mergeReflectors } from './merge-reflectors.ts';

const object = (namespace: string, year: number, finalizers: string[] = []): KubeObject => ({
  apiVersion: 'asr.svc.dev/v1',
  kind: 'ASRModel',
  metadata: { name: 'm', namespace, uid: namespace, creationTimestamp: `${year}-01-01T00:00:00Z`, finalizers },
});

function reflectorOf(...objects: KubeObject[]): Reflector {
  return {
    start: () => Promise.resolve(),
    stop: () => undefined,
    synced: () => true,
    get: (name) => objects.find(({ metadata }) => metadata.name === name),
    list: () => objects,
  };
}
const namespaceOf = ({ metadata }: KubeObject) => metadata.namespace;

test('of several objects with the same name, mergeReflectors returns the oldest, and the others as duplicates', () => {
  const merged = mergeReflectors([reflectorOf(object('a', 2031)), reflectorOf(object('b', 2030))], 0);
  expect(merged.get('m')?.metadata.namespace).toBe('b');
  expect(merged.list().map(namespaceOf)).toEqual(['b']);
  expect(merged.duplicates('m').map(namespaceOf)).toEqual(['a']);
});

test('of objects with the same name, mergeReflectors returns the one that the operator has already applied, even if another is older', () => {
  const merged = mergeReflectors([reflectorOf(object('a', 2031, [FINALIZER])), reflectorOf(object('b', 2030))], 0);
  expect(merged.get('m')?.metadata.namespace).toBe('a');
});

test('mergeReflectors decides by uid if objects with the same name were created in the same second', () => {
  const merged = mergeReflectors([reflectorOf(object('b', 2030)), reflectorOf(object('a', 2030))], 0);
  expect(merged.get('m')?.metadata.namespace).toBe('a');
});

test('start() of merged reflectors waits for the first namespace, and for the other namespaces only until the timeout', async () => {
  let resolve: () => void = () => undefined;
  const first = new Promise<void>((done) => (resolve = done));
  const missing = { ...reflectorOf(), start: () => new Promise<void>(() => undefined), synced: () => false };
  const merged = mergeReflectors([{ ...reflectorOf(object('a', 2030)), start: () => first }, missing], 0);
  const order: string[] = [];
  const started = merged.start().then(() => order.push('started'));
  order.push('listed');
  resolve();
  await started;
  expect(order).toEqual(['listed', 'started']);
  expect([merged.firstSynced(), merged.synced()]).toEqual([true, false]);
});
