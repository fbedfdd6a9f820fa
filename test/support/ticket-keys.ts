import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAfterFile } from './leftovers.ts';

/** Generates a key pair for worker tickets, in PEM format. */
export function createTicketKeyPair() {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

let files: { keyFile: string; publicKeysFile: string } | undefined;

/** Returns files with a key pair that all gateways and workers of a test file, or of a benchmark, share. */
export function ticketKeyFiles() {
  return (files ??= writeFiles());
}

function writeFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-tickets-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  endAfterFile(() => {
    remove();
    files = undefined;
    return Promise.resolve();
  });
  process.once('exit', remove);
  const { privateKey, publicKey } = createTicketKeyPair();
  const [keyFile, publicKeysFile] = [join(folder, 'ticket.key'), join(folder, 'keys.pem')];
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  writeFileSync(publicKeysFile, publicKey);
  return { keyFile, publicKeysFile };
}
