import { checkResource } from '@svc-asr/core';
import type { ResourceOf } from '@svc-asr/core';
import { apiKey } from '../testing/resources.ts';
import { buildRecord } from './apikey.ts';

function key(spec: object): ResourceOf<'ApiKey'> {
  const checked = checkResource(apiKey('8fK2pQ9xLm', 'acme', spec));
  if (!checked.ok || checked.value.kind !== 'ApiKey') throw new Error('the test resource is invalid');
  return checked.value;
}

test.each([
  [{}, null],
  [{ expiresAt: null }, null],
  [{ expiresAt: '2030-01-01T02:00:00+02:00' }, Date.UTC(2030, 0, 1)],
])('buildRecord of an ApiKey with %j has an expiry of %s', (spec, expectedMs) => {
  expect(buildRecord(key(spec)).expiresAtMs).toBe(expectedMs);
});

test('buildRecord rejects an expiry that cannot be parsed instead of creating a key that never expires', () => {
  const good = key({});
  const bad = { ...good, spec: { ...good.spec, expiresAt: '2030-06-30T23:59:60Z' } };
  expect(() => buildRecord(bad)).toThrow(/spec.expiresAt/);
});

test.each([
  [{}],
  [{ scopes: ['usage:read'] }],
  [{ models: ['m1'] }],
  [{ scopes: ['sessions:create'], models: ['m1'] }],
])('buildRecord copies the restrictions %j of an ApiKey, and adds none', (limits) => {
  const { scopes, models } = buildRecord(key(limits));
  expect({ scopes, models }).toEqual(limits);
});
