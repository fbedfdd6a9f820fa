import { API_KEY_PREFIX, generateApiKey, parseApiKey } from '@svc-asr/core';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

/** Number of characters of a key. */
const KEY_CHARACTERS = 61;

/** Generates a key from the bytes of an input, which are repeated and changed as often as needed. */
function keyFrom(bytes: Buffer): string {
  let taken = 0;
  const next = () => (bytes[taken % bytes.length] ?? 0) + Math.floor(taken++ / Math.max(1, bytes.length)) * 7;
  return generateApiKey((count) => Uint8Array.from({ length: count }, next)).key;
}

export const target: FuzzTarget = {
  property: 'parseApiKey never throws, accepts every generated key, and no key with one changed character.',
  seeds: ['g1', `r${keyFrom(Buffer.from('seed'))}`, `r${API_KEY_PREFIX}`],
  dictionary: [API_KEY_PREFIX, '_'],
  maxBytes: 256,
  run: (input) => {
    const rest = input.subarray(1);
    if (input[0] !== 'g'.charCodeAt(0)) {
      const keyId = parseApiKey(rest.toString('latin1'));
      check(keyId === undefined || (/^[0-9A-Za-z]{10}$/.test(keyId) && rest.length === KEY_CHARACTERS), 'no key');
      return;
    }
    const key = keyFrom(rest.length === 0 ? Buffer.from([1]) : rest);
    check(parseApiKey(key) === key.slice(API_KEY_PREFIX.length, API_KEY_PREFIX.length + 10), 'a key was refused');
    const at = (rest[0] ?? 0) % key.length;
    const changed = `${key.slice(0, at)}${key[at] === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`;
    check(parseApiKey(changed) === undefined, 'a changed key was accepted');
  },
};
