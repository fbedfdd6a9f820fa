import Type from 'typebox';
import type { Static } from 'typebox';
import { KEY_SCOPES } from '../key-scopes.ts';
import { ApiKeyStatus } from './apikey-status.ts';
import { ATOMIC_LIST, rules } from './extensions.ts';
import { API_VERSION, closed, Metadata, NAME_RULE, nameOf } from './metadata.ts';
import { moment } from './time.ts';

/** Earliest expiry that is accepted. An earlier time is most likely a mistyped year. */
export const EARLIEST_EXPIRY = '2000-01-01T00:00:00Z';

const expiresAt = moment('Time at which the key expires. It never expires if this is null or omitted.', {
  // The API server also accepts a JSON list as the value of a string with a `format`. This CEL rule refuses it.
  ...rules({
    rule: `self >= timestamp('${EARLIEST_EXPIRY}')`,
    message: 'expiresAt must be a time in the future: use a time such as 2030-01-01T00:00:00Z, or omit it',
  }),
});

/** Schema of the scopes of a key. Used by the resource and by requests that create a key. */
export const KeyScopes = Type.Array(Type.Enum([...KEY_SCOPES]), {
  minItems: 1,
  maxItems: 16,
  description:
    'What the key may do. sessions:create creates and cancels sessions, and usage:read reads credit and sessions. Everything if omitted.',
  ...ATOMIC_LIST,
});

/** Schema of the models that a key may use. Used by the resource and by requests that create a key. */
export const KeyModels = Type.Array(
  Type.String({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', minLength: 1, maxLength: 63 }),
  {
    minItems: 1,
    maxItems: 256,
    description: 'Names of the models that the key may use, among those of its tenant. All of them if omitted.',
    ...ATOMIC_LIST,
  },
);

/** Fields that every key has and that never change. */
const FIXED = ['tenant', 'displayName', 'keyId', 'hash', 'pepperId', 'lastFour'];
/** Optional fields that never change. */
const LISTS = ['scopes', 'models'];

/** Returns a CEL expression for "the optional list has not changed". */
function unchangedList(field: string): string {
  return `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`;
}

export const ApiKeySpec = closed(
  {
    tenant: nameOf('Name of the Tenant that the key belongs to.'),
    displayName: Type.String({ maxLength: 200, default: '', description: 'Display name of the key.' }),
    keyId: Type.String({ pattern: '^[0-9A-Za-z]{10}$', maxLength: 10, description: 'Public part of the key.' }),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      maxLength: 64,
      description: 'HMAC-SHA-256 of the whole key under the pepper.',
    }),
    pepperId: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      maxLength: 32,
      description: 'Id of the pepper that the key is hashed with.',
    }),
    lastFour: Type.String({
      pattern: '^[0-9A-Za-z]{4}$',
      maxLength: 4,
      description: 'Last four characters of the key, for display.',
    }),
    expiresAt: Type.Optional(Type.Union([expiresAt, Type.Null()])),
    scopes: Type.Optional(KeyScopes),
    models: Type.Optional(KeyModels),
  },
  {
    description: 'Specification of the key. Only expiresAt can be changed, to an earlier time.',
    ...rules(
      {
        rule: [...FIXED.map((field) => `self.${field} == oldSelf.${field}`), ...LISTS.map(unchangedList)].join(' && '),
        message: 'a key cannot be changed: create another one and delete this one, which revokes it',
      },
      {
        rule: `!has(oldSelf.expiresAt) || dyn(oldSelf.expiresAt) == null || (has(self.expiresAt) && dyn(self.expiresAt) != null && self.expiresAt <= oldSelf.expiresAt)`,
        message: 'expiresAt can only be moved to an earlier time: create another key instead',
        fieldPath: '.expiresAt',
      },
    ),
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
    description: 'API key of a tenant. Contains only a hash of the key. Deleting the resource revokes the key.',
    ...rules(NAME_RULE, {
      rule: 'self.metadata.name == self.spec.keyId.lowerAscii()',
      message: 'metadata.name must be spec.keyId in lower case: rename the resource',
      fieldPath: '.metadata.name',
    }),
  },
);
export type ApiKey = Static<typeof ApiKey>;
