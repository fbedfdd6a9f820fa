const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` base62 characters from random bytes, without bias; asks `randomBytes` again where bytes must be rejected. */
export function randomBase62(length: number, randomBytes: (n: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < 248) text += ALPHABET.charAt(byte % 62);
  }
  return text;
}

/** A non-negative integer in base62, padded on the left to `length`. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = ALPHABET.charAt(rest % 62) + text;
  return text;
}
