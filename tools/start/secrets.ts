import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent, writeAtomically } from './files.ts';
import type { Home } from './home.ts';

/** Files with the secrets of a local installation. */
export interface SecretFiles {
  apiKeyPeppers: string;
  sessionSecrets: string;
  /** Private key with which the gateway signs tickets. Workers check the tickets with the public key. */
  workerTicketKey: string;
  workerTicketPublicKeys: string;
  adminToken: string;
  redisPassword: string;
}

const PEPPERS = 'api-key-peppers.json';

/**
 * Creates missing secrets. Never replaces existing secrets. With a new pepper, for example, the existing API keys would
 * stop working.
 */
export function ensureSecrets(folder: string): SecretFiles {
  const secret = (name: string, make: () => string): string => {
    const file = join(folder, name);
    if (readIfPresent(file) === undefined) writeAtomically(file, `${make()}\n`, 0o600);
    chmodSync(file, 0o600);
    return file;
  };
  const workerTicketKey = secret('worker-ticket.key', createTicketKey);
  return {
    apiKeyPeppers: secret(PEPPERS, () => createKeyring('p')),
    sessionSecrets: secret('session-secrets.json', () => createKeyring('s')),
    workerTicketKey,
    workerTicketPublicKeys: writePublicKey(workerTicketKey, join(folder, 'worker-ticket-public-keys.pem')),
    adminToken: secret('admin-token', () => randomBytes(32).toString('base64url')),
    redisPassword: secret('redis-password', () => randomBytes(32).toString('base64url')),
  };
}

function createTicketKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim();
}

/** Writes the public key that belongs to a private key, and returns the file of the public key. */
function writePublicKey(keyFile: string, file: string): string {
  const pem = createPublicKey(readFileSync(keyFile)).export({ type: 'spki', format: 'pem' });
  if (readIfPresent(file) !== pem) writeAtomically(file, pem, 0o600);
  return file;
}

/**
 * Returns a warning if API keys exist but their peppers are missing. Call it before `ensureSecrets`, which creates the
 * missing peppers.
 */
export function describeLostPeppers({ secrets, config }: Pick<Home, 'secrets' | 'config'>): string | undefined {
  const file = join(secrets, PEPPERS);
  if (readIfPresent(file) !== undefined) return undefined;
  const keys = countKeyFiles(config);
  if (keys === 0) return undefined;
  return (
    `${file} is missing, so existing API keys will not work (${config} has ${keys} ${keys === 1 ? 'file' : 'files'} ` +
    'with keys). New keys get a new file. To use the old keys again, stop, restore the missing file and start again'
  );
}

/**
 * Creates a keyring with one new secret, in the format that services read. The id is random too. If a lost id were used
 * for the new secret, services would treat older values under that id as forged and not as unknown.
 */
export function createKeyring(kind: string): string {
  const id = `${kind}-${randomBytes(4).toString('hex')}`;
  return JSON.stringify({ current: id, secrets: { [id]: randomBytes(32).toString('base64') } });
}

function countKeyFiles(folder: string): number {
  const names = readdirSync(folder).filter((name) => /^[^.].*\.(ya?ml|json)$/.test(name));
  return names.filter((name) => {
    // Key files of the console are recognized by their names, because their contents may be damaged.
    return name.startsWith('apikey-') || /kind["']?:\s*["']?ApiKey\b/.test(readFileSync(join(folder, name), 'utf8'));
  }).length;
}
