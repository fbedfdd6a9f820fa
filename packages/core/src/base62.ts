const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns `length` random base62 characters without bias. Calls `randomBytes` again to replace rejected bytes. */
export function randomBase62(length: number, randomBytes: (n: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < 248) text += ALPHABET.charAt(byte % 62);
  }
  return text;
}

/** Formats a non-negative integer in base62, padded on the left to `length`. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let remainder = value; text.length < length; remainder = Math.floor(remainder / 62))
    text = ALPHABET.charAt(remainder % 62) + text;
  return text;
}
