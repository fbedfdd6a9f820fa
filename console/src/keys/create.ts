import { randomBytes as randomBytesOf } from 'node:crypto';
import { API_VERSION, generateApiKey } from '@svc-asr/core';
import type { ApiKey } from '@svc-asr/core';
import { sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import { createUnique } from '../resources/create-unique.ts';
import type { ResourceStore } from '../resources/store.ts';
import { REPLACES_ANNOTATION } from './rotation.ts';

export interface KeyRequest {
  tenant: string;
  displayName: string;
  expiresAt: string | null;
  /** What the key may do. Everything if undefined. */
  scopes?: ApiKey['spec']['scopes'];
  /** Models that the key may use. All models of the tenant if undefined. */
  models?: ApiKey['spec']['models'];
  /** Id of the key that this one replaces. */
  replaces?: string;
  /** Called with the id of the key before the key is stored. */
  onDrawn?: (keyId: string) => void;
}

/** Creates a key and stores its resource, which contains only the hash. The returned key is stored nowhere. */
export async function createKey(
  store: ResourceStore,
  peppers: Keyring,
  request: KeyRequest,
  randomBytes: (n: number) => Uint8Array = randomBytesOf,
): Promise<{ key: string; resource: ApiKey }> {
  return createUnique(store, 'ApiKey', () => {
    const generated = generateApiKey(randomBytes);
    request.onDrawn?.(generated.keyId);
    return { key: generated.key, resource: buildApiKey(generated, request, peppers) };
  });
}

function buildApiKey(generated: ReturnType<typeof generateApiKey>, request: KeyRequest, peppers: Keyring): ApiKey {
  const hash = sign(peppers, peppers.current, generated.key, 'hex');
  if (hash === undefined) throw new Error('the current pepper is missing in API_KEY_PEPPERS');
  return {
    apiVersion: API_VERSION,
    kind: 'ApiKey',
    metadata: {
      name: generated.keyId.toLowerCase(),
      ...(request.replaces !== undefined && { annotations: { [REPLACES_ANNOTATION]: request.replaces } }),
    },
    spec: {
      tenant: request.tenant,
      displayName: request.displayName,
      keyId: generated.keyId,
      hash,
      pepperId: peppers.current,
      lastFour: generated.lastFour,
      expiresAt: request.expiresAt,
      ...(request.scopes !== undefined && { scopes: request.scopes }),
      ...(request.models !== undefined && { models: request.models }),
    },
  };
}
