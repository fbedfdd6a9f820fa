import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent, writeAtomically } from './files.ts';

/** Files that hold the secrets of a local installation. */
export interface SecretFiles {
  apiKeyPeppers: string;
  sessionSecrets: string;
  workerTickets: string;
  adminToken: string;
  redisPassword: string;
}

/** Makes the secrets that are not there yet; those that are stay as they are, or stored keys would stop working. */
export function ensureSecrets(folder: string): SecretFiles {
  const secret = (name: string, make: () => string): string => {
    const file = join(folder, name);
    if (readIfPresent(file) === undefined) writeAtomically(file, `${make()}\n`, 0o600);
    chmodSync(file, 0o600);
    return file;
  };
  return {
    apiKeyPeppers: secret('api-key-peppers.json', () => makeKeyring('p1')),
    sessionSecrets: secret('session-secrets.json', () => makeKeyring('s1')),
    workerTickets: secret('worker-tickets.json', () => makeKeyring('w1')),
    adminToken: secret('admin-token', () => randomBytes(32).toString('base64url')),
    redisPassword: secret('redis-password', () => randomBytes(32).toString('base64url')),
  };
}

/** A keyring with one fresh secret, in the form that the services read. */
export function makeKeyring(id: string): string {
  return JSON.stringify({ current: id, secrets: { [id]: randomBytes(32).toString('base64') } });
}
