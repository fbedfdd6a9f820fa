import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Private key with which gateways sign tickets. */
export interface TicketKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** Public keys with which workers verify tickets, by key id. They cannot sign tickets. */
export type TicketPublicKeys = ReadonlyMap<string, KeyObject>;

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** Parses an Ed25519 private key in PEM format. */
export function parseTicketKey(pem: string): TicketKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    throw new Error('it is not a private key in PEM format');
  }
  requireEd25519(privateKey);
  return { id: idOf(createPublicKey(privateKey)), privateKey };
}

/**
 * Parses one or more Ed25519 public keys in PEM format. A certificate is accepted instead of a public key, because Helm
 * can generate certificates but not public keys. The names and dates of a certificate are ignored.
 */
export function parseTicketPublicKeys(pem: string): TicketPublicKeys {
  const keys = [...pem.matchAll(PEM_BLOCK)].map(([block, label = '']) => parseBlock(block, label));
  if (keys.length === 0) throw new Error('it contains no public key and no certificate in PEM format');
  return new Map(keys.map((key) => [idOf(key), key]));
}

function parseBlock(block: string, label: string): KeyObject {
  // createPublicKey would also accept a private key.
  if (label !== 'PUBLIC KEY' && label !== 'CERTIFICATE') {
    throw new Error(`it contains a ${label}. Workers may have only public keys and certificates`);
  }
  let key: KeyObject;
  try {
    key = createPublicKey(block);
  } catch {
    throw new Error(`it contains a malformed ${label}`);
  }
  requireEd25519(key);
  return key;
}

function requireEd25519({ asymmetricKeyType: type }: KeyObject): void {
  if (type !== 'ed25519') throw new Error(`it contains a key of type ${type}. Use Ed25519`);
}

/** Returns the id of a public key, which is its thumbprint. Gateways and workers compute the same id. */
function idOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}
