import type { KeyView, ListedKey } from '../../../src/responses.ts';
import { texts } from '../../texts/index.ts';

/** Returns the text by which users recognize a key: its name and its last four characters. */
export function nameOf({ name, last_four: lastFour }: Pick<KeyView, 'name' | 'last_four'>): string {
  return name === '' ? `…${lastFour}` : `${name} (…${lastFour})`;
}

/** Describes what a key may do. */
export function describePermissions({ scopes }: Pick<KeyView, 'scopes'>): string {
  const text = texts.keys;
  return scopes === null ? text.fullAccess : scopes.map((scope) => text.scopes[scope] ?? scope).join(', ');
}

export function isExpired({ expires_at: at }: Pick<KeyView, 'expires_at'>, nowMs = Date.now()): boolean {
  return at !== null && Date.parse(at) <= nowMs;
}

/**
 * Returns a short text for the key of a session. This is the text of nameOf(), or the id of the key if `keys` does not
 * contain the key. Undefined if the session has no key.
 */
export function keyLabel(keyId: string | null, keys: readonly ListedKey[]): string | undefined {
  if (keyId === null) return undefined;
  const key = keys.find(({ key_id: id }) => id === keyId);
  return key === undefined ? keyId : nameOf(key);
}
