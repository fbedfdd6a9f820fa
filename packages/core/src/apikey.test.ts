import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { generateApiKey, parseApiKey } from './apikey.ts';
import { crc32 } from './crc32.ts';

test('generateApiKey returns a key in the documented format, and parseApiKey returns the public id of that key', () => {
  for (let i = 0; i < 200; i++) {
    const { key, keyId, lastFour } = generateApiKey(randomBytes);
    expect(key).toMatch(/^svc_live_v1_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/);
    expect(key.slice(12, 22)).toBe(keyId);
    expect(key.endsWith(lastFour)).toBe(true);
    expect(parseApiKey(key)).toBe(keyId);
  }
});

test('parseApiKey refuses a key in which any one character was changed', () => {
  const { key } = generateApiKey(randomBytes);
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom('0', 'a', 'Z', '9', '_'), (at, other) => {
      fc.pre(key[at] !== other);
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
    }),
  );
});

test('parseApiKey refuses text that is not a key', () => {
  fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === undefined));
});

test('crc32 returns the same checksum as zlib', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      expect(crc32(text)).toBe(zlibCrc32(text));
    }),
  );
});

test('randomBase62 replaces random bytes that would make some characters more likely than others', () => {
  const draws = [Uint8Array.of(255, 250, 0), Uint8Array.of(61, 62)];
  let asked = 0;
  const { keyId } = generateApiKey((n) => draws[asked++] ?? new Uint8Array(n));
  expect(keyId).toBe('0z00000000');
});
