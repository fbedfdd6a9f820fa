import { checkResource } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import { model } from '../../testing/resources.ts';
import { decideScaleUpdate } from './scale-update.ts';

const replicas = (scaling: object, desired = 3) => {
  const checked = checkResource(model('m', { scaling }));
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return decideScaleUpdate(checked.value as AsrModel, desired)?.replicas;
};

test('in the mode External, decideScaleUpdate sets an unset spec.scaling.replicas to the number of workers, or to 1 without workers, and changes nothing if max is 0', () => {
  expect(replicas({ mode: 'External', max: 9 })).toBe(3);
  expect(replicas({ mode: 'External', max: 9 }, 0)).toBe(1);
  expect(replicas({ mode: 'External', max: 0 }, 0)).toBeUndefined();
});

test('in the mode External, decideScaleUpdate keeps replicas that a user or an autoscaler has set', () => {
  expect(replicas({ mode: 'External', max: 9, replicas: 0 })).toBeUndefined();
});

test('in the mode Sessions, decideScaleUpdate removes spec.scaling.replicas', () => {
  expect(replicas({ mode: 'Sessions', max: 9, replicas: 2 })).toBeNull();
  expect(replicas({ mode: 'Sessions', max: 9 })).toBeUndefined();
});

test('decideScaleUpdate returns nothing for a deleted model', () => {
  expect(decideScaleUpdate(undefined, 3)).toBeUndefined();
});
