import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { BinaryToTextEncoding, KeyObject } from 'node:crypto';
import type { Setting } from './settings.ts';

/**
 * Named secrets of which one is current: `current` makes new values, every one still verifies old ones, so a secret is
 * rotated by adding one, making it current, and removing the old one when nothing refers to it any more.
 */
export interface Keyring {
  readonly current: string;
  readonly secrets: ReadonlyMap<string, KeyObject>;
}

/** Reads `{"current": "p1", "secrets": {"p1": "<base64, 32 bytes or more>"}}`. */
export function parseKeyring(text: string): Keyring {
  const problem = 'must be JSON {"current": ID, "secrets": {ID: base64 of at least 32 bytes}}';
  let parsed: { current?: unknown; secrets?: unknown };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    // The parser's message quotes the text, which is a secret.
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
 * HMAC-SHA-256 under one secret of the ring; undefined when the ring does not hold it. As text: to hand it over in a Buffer
 * of its own costs Node as much as to make it.
 */
export function sign(ring: Keyring, id: string, message: string, encoding: BinaryToTextEncoding): string | undefined {
  const secret = ring.secrets.get(id);
  return secret === undefined ? undefined : createHmac('sha256', secret).update(message).digest(encoding);
}

/** Compares in constant time; false for different lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The same for texts of which each character is a byte, as digests and what is encoded are. */
export function equalTexts(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}

/** A setting that holds a keyring. */
export function keyring(description: string): Setting<Keyring> {
  return { description, fallback: undefined, secret: true, read: parseKeyring };
}
