import type { KubeObject } from '@svc-asr/kubernetes';
import { covers, hasDrifted, readQuantity } from './drift.ts';
import { ANNOTATIONS } from '../names.ts';

test.each([
  ['defaults that the server added', { a: 1, b: { c: 2 } }, { a: 1 }, true],
  ['another value', { a: 2 }, { a: 1 }, false],
  ['a missing field', {}, { a: 1 }, false],
  ['a missing object that would be empty', {}, { a: {} }, true],
  ['a quantity in another notation', { cpu: '500m' }, { cpu: '0.5' }, true],
  ['another quantity', { cpu: '500m' }, { cpu: '0.6' }, false],
  [
    'additional named items in the live object',
    { env: [{ name: 'x' }, { name: 'y', value: '1' }] },
    { env: [{ name: 'y', value: '1' }] },
    true,
  ],
  ['a changed named item', { env: [{ name: 'y', value: '2' }] }, { env: [{ name: 'y', value: '1' }] }, false],
  [
    'named items in a different order',
    { v: [{ name: 'b' }, { name: 'a' }] },
    { v: [{ name: 'a' }, { name: 'b' }] },
    true,
  ],
  ['an additional item without a name', { drop: ['ALL', 'NET'] }, { drop: ['ALL'] }, false],
  [
    'mounts with their fields in another order',
    { m: [{ mountPath: '/a', name: 'x' }] },
    { m: [{ name: 'x', mountPath: '/a' }] },
    true,
  ],
])('covers() for %s (live %j, wanted %j) returns %s', (_, live, wanted, expected) => {
  expect(covers(live, wanted)).toBe(expected);
});

test('hasDrifted is true if the object is missing, was applied from other input, or was changed by another client', () => {
  const object = (applied: string, data: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', annotations: { [ANNOTATIONS.applied]: applied } },
    data,
  });
  expect(hasDrifted(undefined, object('1', {}))).toBe(true);
  expect(hasDrifted(object('1', { a: 'x' }), object('1', { a: 'x' }))).toBe(false);
  expect(hasDrifted(object('1', { a: 'x', b: 'of others' }), object('1', { a: 'x' }))).toBe(false);
  expect(hasDrifted(object('1', { a: 'y' }), object('1', { a: 'x' }))).toBe(true);
  // The operator no longer sets field b, so b has to be removed. Only the changed digest shows this.
  expect(hasDrifted(object('1', { a: 'x', b: 'y' }), object('2', { a: 'x' }))).toBe(true);
});

test.each([
  ['2', 2],
  ['500m', 0.5],
  ['4Gi', 4 * 2 ** 30],
  ['1e3', 1000],
  ['1k', 1000],
  ['0.1', 0.1],
  ['100m', 0.1],
  [3, 3],
  ['four', undefined],
  ['4 Gi', undefined],
  ['', undefined],
  [true, undefined],
])('readQuantity(%j) is %j', (quantity, value) => {
  expect(readQuantity(quantity)).toBe(value);
});
