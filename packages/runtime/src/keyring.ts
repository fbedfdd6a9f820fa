import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { BinaryToTextEncoding, KeyObject } from 'node:crypto';
import type { Setting } from './settings.ts';

/**
 * Named secrets, one of which is current. New values are signed with `current`. Values that were signed with any of the
 * secrets are valid. To rotate, add a secret and make it current. Remove the old secret when no value that was signed
 * with it is in use.
 */
export interface Keyring {
  readonly current: string;
  readonly secrets: ReadonlyMap<string, KeyObject>;
}

/** Parses `{"current": "p1", "secrets": {"p1": "<base64, 32 bytes or more>"}}`. */
export function parseKeyring(text: string): Keyring {
  const problem = 'must be JSON {"current": ID, "secrets": {ID: base64 of at least 32 bytes}}';
  let parsed: { current?: unknown; secrets?: unknown };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    // The message of the parser would quote the text, which is secret.
    throw new Error(problem);
  }
  if (typeof parsed.current !== 'string' || typeof parsed.secrets !== 'object' || parsed.secrets === null) {
    throw new Error(problem);
  }
  const secrets = new Map<string, KeyObject>();
  for (const [id, value] of Object.entries(parsed.secrets)) {
    const secret = Buffer.from(String(value), 'base64');
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || secret.length < 32) throw new Error(problem);
    secrets.set(id, createSecretKey(secret));
  }
  if (!secrets.has(parsed.current)) throw new Error(problem);
  return { current: parsed.current, secrets };
}

/**
 * Returns an HMAC-SHA-256 with one secret of the keyring. Undefined if the keyring does not contain the secret. Returns
 * text, because in Node a Buffer would take twice the time.
 */
export function sign(ring: Keyring, id: string, message: string, encoding: BinaryToTextEncoding): string | undefined {
  const secret = ring.secrets.get(id);
  return secret === undefined ? undefined : createHmac('sha256', secret).update(message).digest(encoding);
}

/** Compares two byte sequences in constant time. Returns false if their lengths differ. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares texts whose characters are single bytes, such as digests and encoded values, in constant time. */
export function equalTexts(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}

/** Defines a setting that contains a keyring. */
export function keyring(description: string): Setting<Keyring> {
  return { description, fallback: undefined, secret: true, read: parseKeyring };
}
