import Type from 'typebox';
import type { Static } from 'typebox';
import { ApiKeyStatus } from './apikey-status.ts';
import { rules } from './extensions.ts';
import { API_VERSION, closed, Metadata, NAME_RULE, nameOf } from './metadata.ts';
import { moment } from './time.ts';

/** Whatever is before this was meant to be another year. */
export const EARLIEST_EXPIRY = '2000-01-01T00:00:00Z';

const expiresAt = moment('From when on the key is refused; null or left out: never.', {
  // The API server takes a list for text that has a format; a rule does not.
  ...rules({
    rule: `self >= timestamp('${EARLIEST_EXPIRY}')`,
    message: 'expiresAt is not a time to come: write one such as 2030-01-01T00:00:00Z, or leave it out',
  }),
});

export const ApiKeySpec = closed(
  {
    tenant: nameOf('Name of the Tenant that the key belongs to.'),
    displayName: Type.String({ maxLength: 200, default: '', description: 'Name of the key, as people read it.' }),
    keyId: Type.String({ pattern: '^[0-9A-Za-z]{10}$', maxLength: 10, description: 'The public part of the key.' }),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      maxLength: 64,
      description: 'HMAC-SHA-256 of the whole key under the pepper.',
    }),
    pepperId: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      maxLength: 32,
      description: 'Which pepper the key is hashed with.',
    }),
    lastFour: Type.String({
      pattern: '^[0-9A-Za-z]{4}$',
      maxLength: 4,
      description: 'The last characters of the key, by which people know it again.',
    }),
    expiresAt: Type.Optional(Type.Union([expiresAt, Type.Null()])),
  },
  {
    description: 'The key, which cannot be changed.',
    ...rules({
      rule: 'self == oldSelf',
      message: 'a key cannot be changed: create another one and delete this one, which revokes it',
    }),
  },
);

export const ApiKey = Type.Object(
  {
    apiVersion: Type.Literal(API_VERSION),
    kind: Type.Literal('ApiKey'),
    metadata: Metadata,
    spec: ApiKeySpec,
    status: Type.Optional(ApiKeyStatus),
  },
  {
    description: 'A key of a tenant. Only its hash is here. Deleting the resource revokes the key.',
    ...rules(NAME_RULE, {
      rule: 'self.metadata.name == self.spec.keyId.lowerAscii()',
      message: 'metadata.name must be spec.keyId in lower case: rename the resource',
      fieldPath: '.metadata.name',
    }),
  },
);
export type ApiKey = Static<typeof ApiKey>;
