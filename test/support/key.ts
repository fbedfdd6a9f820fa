import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Creates an API key with a valid checksum. The code follows the documented format and does not use the service's code.
 */
export function forgeKey(keyId: string, secret: string): string {
  const unchecked = `svc_live_v1_${keyId}_${secret}`;
  let checksum = '';
  for (let rest = crc32(unchecked); checksum.length < 6; rest = Math.floor(rest / 62)) {
    checksum = ALPHABET.charAt(rest % 62) + checksum;
  }
  return unchecked + checksum;
}

/** Returns the public id of an API key. */
export function keyIdOf(key: string): string {
  return key.slice('svc_live_v1_'.length).slice(0, 10);
}
