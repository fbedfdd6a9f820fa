import { API_KEY_PREFIX } from '@svc-asr/core';
import type { ApiKey } from '@svc-asr/core';
import type { KeyView } from '../responses.ts';
import { replacedKeyOf } from './rotation.ts';

/** Returns the public fields of a key, without its hash. */
export function viewKey(key: ApiKey): KeyView {
  const { metadata, spec } = key;
  return {
    object: 'api_key',
    key_id: spec.keyId,
    prefix: `${API_KEY_PREFIX}${spec.keyId}`,
    last_four: spec.lastFour,
    tenant: spec.tenant,
    name: spec.displayName,
    created_at: metadata.creationTimestamp ?? null,
    expires_at: spec.expiresAt ?? null,
    scopes: spec.scopes ?? null,
    models: spec.models ?? null,
    replaces: replacedKeyOf(key),
  };
}
