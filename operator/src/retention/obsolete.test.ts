import type { ResourceOf } from '@svc-asr/core';
import { apiKey } from '../testing/resources.ts';
import { isObsolete } from './obsolete.ts';

const RETENTION_MS = 30 * 86_400_000;
const AT = '2026-01-01T00:00:00.000Z';
const LIMIT_MS = Date.parse(AT) + RETENTION_MS;

function keyWith({ expiresAt, createdAt = AT }: { expiresAt?: string; createdAt?: string }): ResourceOf<'ApiKey'> {
  const key = apiKey('8fK2pQ9xLm', 'acme', expiresAt === undefined ? {} : { expiresAt }) as ResourceOf<'ApiKey'>;
  return { ...key, metadata: { ...key.metadata, creationTimestamp: createdAt } };
}

test.each([
  ['one millisecond before', false, -1],
  ['at', true, 0],
])('isObsolete of an expired ApiKey, %s the end of the retention time, is %s', (_when, expected, offsetMs) => {
  const key = keyWith({ expiresAt: AT, createdAt: '2020-01-01T00:00:00.000Z' });
  expect(isObsolete(key, { revoked: false }, LIMIT_MS + offsetMs, RETENTION_MS)).toBe(expected);
});

test.each([
  ['one millisecond before', false, -1],
  ['at', true, 0],
])(
  'isObsolete of an ApiKey that was created for a revoked key, %s the end of the retention time, is %s',
  (_when, expected, offsetMs) => {
    expect(isObsolete(keyWith({}), { revoked: true }, LIMIT_MS + offsetMs, RETENTION_MS)).toBe(expected);
  },
);

test('an ApiKey that neither expires nor was revoked is never obsolete', () => {
  for (const record of [undefined, { revoked: false }]) {
    expect(isObsolete(keyWith({}), record, LIMIT_MS * 2, RETENTION_MS)).toBe(false);
  }
});
