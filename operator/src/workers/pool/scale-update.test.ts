import { checkResource } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import { model } from '../../testing/resources.ts';
import { decideScaleUpdate } from './scale-update.ts';

const replicas = (scaling: object, desired = 3) => {
  const checked = checkResource(model('m', { scaling }));
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return decideScaleUpdate(checked.value as AsrModel, desired)?.replicas;
};

test('what something else is to drive begins with as many workers as there are, and with one at least', () => {
  expect(replicas({ mode: 'External', max: 9 })).toBe(3);
  expect(replicas({ mode: 'External', max: 9 }, 0)).toBe(1);
  expect(replicas({ mode: 'External', max: 0 }, 0)).toBeUndefined();
});

test('what others wrote is left alone', () => {
  expect(replicas({ mode: 'External', max: 9, replicas: 0 })).toBeUndefined();
});

test('what is left of it where sessions decide goes', () => {
  expect(replicas({ mode: 'Sessions', max: 9, replicas: 2 })).toBeNull();
  expect(replicas({ mode: 'Sessions', max: 9 })).toBeUndefined();
});

test('nothing is written of a model that is deleted', () => {
  expect(decideScaleUpdate(undefined, 3)).toBeUndefined();
});
