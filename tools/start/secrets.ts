import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent, writeAtomically } from './files.ts';
import type { Home } from './home.ts';

/** Files that hold the secrets of a local installation. */
export interface SecretFiles {
  apiKeyPeppers: string;
  sessionSecrets: string;
  workerTickets: string;
  adminToken: string;
  redisPassword: string;
}

const PEPPERS = 'api-key-peppers.json';

/** Makes the secrets that are not there yet; those that are stay as they are, or stored keys would stop working. */
export function ensureSecrets(folder: string): SecretFiles {
  const secret = (name: string, make: () => string): string => {
    const file = join(folder, name);
    if (readIfPresent(file) === undefined) writeAtomically(file, `${make()}\n`, 0o600);
    chmodSync(file, 0o600);
    return file;
  };
  return {
    apiKeyPeppers: secret(PEPPERS, () => makeKeyring('p')),
    sessionSecrets: secret('session-secrets.json', () => makeKeyring('s')),
    workerTickets: secret('worker-tickets.json', () => makeKeyring('w')),
    adminToken: secret('admin-token', () => randomBytes(32).toString('base64url')),
    redisPassword: secret('redis-password', () => randomBytes(32).toString('base64url')),
  };
}

/** What to tell before the secrets are made, when keys are there and what they were hashed under is not. */
export function describeLostPeppers({ secrets, config }: Pick<Home, 'secrets' | 'config'>): string | undefined {
  const file = join(secrets, PEPPERS);
  if (readIfPresent(file) !== undefined) return undefined;
  const keys = countKeyFiles(config);
  if (keys === 0) return undefined;
  return (
    `${file} is missing: API keys made before will not work (${config} has ${keys} ${keys === 1 ? 'file' : 'files'} ` +
    'of them). A new one is made for new keys; to have the old keys back, stop, restore that file and start again'
  );
}

/**
 * A keyring with one fresh secret, in the form that the services read. Its id is random too: another secret under an id
 * that was used before would make old values look forged instead of unknown.
 */
export function makeKeyring(kind: string): string {
  const id = `${kind}-${randomBytes(4).toString('hex')}`;
  return JSON.stringify({ current: id, secrets: { [id]: randomBytes(32).toString('base64') } });
}

function countKeyFiles(folder: string): number {
  const names = readdirSync(folder).filter((name) => /^[^.].*\.(ya?ml|json)$/.test(name));
  return names.filter((name) => {
    // One of the console's own may be damaged and is one of a key by its name.
    return name.startsWith('apikey-') || /kind["']?:\s*["']?ApiKey\b/.test(readFileSync(join(folder, name), 'utf8'));
  }).length;
}
