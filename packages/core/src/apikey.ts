import { crc32 } from './crc32.ts';

/**
 * An API key is `svc_live_v1_`, 10 characters of public id, `_`, 32 characters of secret, and a checksum of 6
 * characters. The checksum is the CRC-32 of everything before it, in base62. It allows a mistyped or truncated key to
 * be refused without a lookup.
 */
export const API_KEY_PREFIX = 'svc_live_v1_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^svc_live_v1_([0-9A-Za-z]{10})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface NewApiKey {
  key: string;
  keyId: string;
  lastFour: string;
}

/** Generates a key from a source of random bytes. */
export function generateApiKey(randomBytes: (n: number) => Uint8Array): NewApiKey {
  const keyId = randomBase62(10, randomBytes);
  const unchecked = `${API_KEY_PREFIX}${keyId}_${randomBase62(32, randomBytes)}`;
  const key = unchecked + checksum(unchecked);
  return { key, keyId, lastFour: key.slice(-4) };
}

/** Returns the public id of a key if the key is well-formed and its checksum is valid, otherwise undefined. */
export function parseApiKey(key: string): string | undefined {
  const match = FORM.exec(key);
  return match?.[3] === checksum(key.slice(0, -6)) ? match[1] : undefined;
}

function checksum(text: string): string {
  return toBase62(crc32(text), 6);
}

/**
 * Returns `length` random base62 characters, each with the same probability. Bytes that would cause a bias are
 * rejected, and `randomBytes` is called again to replace them.
 */
function randomBase62(length: number, randomBytes: (n: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < 248) text += BASE62.charAt(byte % 62);
  }
  return text;
}

/** Formats a non-negative integer in base62, padded on the left to `length`. */
function toBase62(value: number, length: number): string {
  let text = '';
  for (let remainder = value; text.length < length; remainder = Math.floor(remainder / 62))
    text = BASE62.charAt(remainder % 62) + text;
  return text;
}
