import Type from 'typebox';
import type { Static } from 'typebox';
import { API_VERSION, closed, Metadata, ResourceName } from './metadata.ts';

export const ApiKeySpec = closed({
  tenant: ResourceName,
  displayName: Type.String({ maxLength: 200, default: '' }),
  keyId: Type.String({ pattern: '^[0-9A-Za-z]{10}$', description: 'The public part of the key.' }),
  hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'HMAC-SHA-256 of the whole key under the pepper.' }),
  pepperId: Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' }),
  lastFour: Type.String({ pattern: '^[0-9A-Za-z]{4}$' }),
  expiresAt: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
});

export const ApiKey = Type.Object({
  apiVersion: Type.Literal(API_VERSION),
  kind: Type.Literal('ApiKey'),
  metadata: Metadata,
  spec: ApiKeySpec,
});
export type ApiKey = Static<typeof ApiKey>;
