import { hostname } from 'node:os';
import { join } from 'node:path';
import type { KeyPairPem } from './certificates.ts';
import { isUsable, createCa, createServerCertificate } from './certificates.ts';
import { readIfPresent, writeAtomically } from './files.ts';
import type { Home } from './home.ts';

/** Certificate and key for a TLS server of the local installation, and the CA certificate for its clients. */
export interface TlsFiles {
  caFile: string;
  certFile: string;
  keyFile: string;
}

/** Creates the CA and the server certificate if they are missing, damaged, for other hosts or about to expire. */
export async function ensureTls(home: Home, now: Date, logProgress: (line: string) => void): Promise<TlsFiles> {
  const caFile = join(home.certs, 'ca.crt');
  const caKeyFile = join(home.secrets, 'ca.key');
  const certFile = join(home.certs, 'server.crt');
  const keyFile = join(home.secrets, 'server.key');

  let ca = readPair(caFile, caKeyFile);
  if (ca === undefined || !isUsable(ca, ca, [], now)) {
    ca = await createCa(now);
    writePair(ca, caFile, caKeyFile);
    logProgress(`created a local certificate authority: ${caFile}`);
  }
  const hosts = localHosts(hostname());
  const server = readPair(certFile, keyFile);
  if (server === undefined || !isUsable(server, ca, hosts, now)) {
    writePair(await createServerCertificate(ca, hosts, now), certFile, keyFile);
    logProgress(`created a certificate for ${hosts.join(', ')}`);
  }
  return { caFile, certFile, keyFile };
}

/** Returns the host names and addresses under which this machine can reach itself. */
export function localHosts(machine: string): string[] {
  const hosts = ['localhost', '127.0.0.1', '::1'];
  const isDomain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(machine);
  if (isDomain) hosts.push(machine.toLowerCase());
  return [...new Set(hosts)];
}

function readPair(certFile: string, keyFile: string): KeyPairPem | undefined {
  const cert = readIfPresent(certFile);
  const key = readIfPresent(keyFile);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

function writePair(pair: KeyPairPem, certFile: string, keyFile: string): void {
  writeAtomically(keyFile, `${pair.key}\n`, 0o600);
  writeAtomically(certFile, `${pair.cert}\n`);
}
