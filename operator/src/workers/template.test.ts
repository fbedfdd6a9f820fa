import { checkResource } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import { model } from '../testing/resources.ts';
import { buildTemplate } from './template.ts';

const revisionOf = (spec: object): string => {
  const checked = checkResource(model('m', spec));
  if (!checked.ok) throw new Error('not a model');
  return buildTemplate(checked.value as AsrModel).revision;
};

test('the revision of a template changes with the artifact and the worker settings, and not with scaling or field order', () => {
  const base = { artifact: { path: '/a' }, worker: { provider: 'cpu', slots: 4 } };
  const revision = revisionOf(base);
  expect(revision).toMatch(/^[0-9a-f]{12}$/);
  expect(revisionOf({ ...base, scaling: { min: 1, max: 9 } })).toBe(revision);
  expect(revisionOf({ worker: { slots: 4, provider: 'cpu' }, artifact: { path: '/a' } })).toBe(revision);
  expect(revisionOf({ ...base, artifact: { path: '/b' } })).not.toBe(revision);
  expect(revisionOf({ ...base, worker: { provider: 'cpu', slots: 5 } })).not.toBe(revision);
});
