import { randomBytes as randomBytesOf } from 'node:crypto';
import { API_VERSION, makeApiKey } from '@svc-asr/core';
import type { ApiKey } from '@svc-asr/core';
import { sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import type { ResourceStore } from '../resources/store.ts';

/** A name is drawn from 36^10: a second collision in a row means that something is broken. */
const DRAWS = 5;

export interface KeyRequest {
  tenant: string;
  displayName: string;
  expiresAt: string | null;
}

/** Makes a key and writes its resource, which holds the hash; the key itself is in the result and nowhere else. */
export async function createKey(
  store: ResourceStore,
  peppers: Keyring,
  request: KeyRequest,
  randomBytes: (n: number) => Uint8Array = randomBytesOf,
): Promise<{ key: string; resource: ApiKey }> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const made = makeApiKey(randomBytes);
    const wanted = buildApiKey(made, request, peppers);
    const { name } = wanted.metadata;
    if ((await store.get('ApiKey', name)) !== undefined) continue;
    const { resource } = await store.update('ApiKey', name, (current) => {
      if (current !== undefined) throw new Error('another key took the same random id at the same time');
      return wanted;
    });
    return { key: made.key, resource };
  }
  throw new Error(`${DRAWS} random key ids in a row were taken`);
}

function buildApiKey(made: ReturnType<typeof makeApiKey>, request: KeyRequest, peppers: Keyring): ApiKey {
  const hash = sign(peppers, peppers.current, made.key, 'hex');
  if (hash === undefined) throw new Error('the current pepper is missing');
  return {
    apiVersion: API_VERSION,
    kind: 'ApiKey',
    metadata: { name: made.keyId.toLowerCase() },
    spec: {
      tenant: request.tenant,
      displayName: request.displayName,
      keyId: made.keyId,
      hash,
      pepperId: peppers.current,
      lastFour: made.lastFour,
      expiresAt: request.expiresAt,
    },
  };
}
