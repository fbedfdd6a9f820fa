import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate, createCa } from '../../../tools/start/certificates.ts';
import type { KeyPairPem } from '../../../tools/start/certificates.ts';

const DAYS = 1;
const SERVER_HOSTS = ['127.0.0.1', 'localhost', 'kubernetes.default.svc'];
/** The API server grants all permissions to this group without any role. */
const MASTERS = 'system:masters';

/** Paths of the keys of one cluster, and the certificate for requests of the tests. */
export interface Certificates {
  authority: string;
  /** Server certificate of etcd and the API server. */
  server: { cert: string; key: string };
  serviceAccounts: { publicKey: string; privateKey: string };
  caPem: string;
  admin: KeyPairPem;
}

/** Creates a CA and all certificates and keys of a cluster in a folder. */
export async function createCertificates(folder: string, now: Date): Promise<Certificates> {
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const authority = await createCa(now);
  const server = await issueCertificate(authority, { commonName: 'kube-apiserver', hosts: SERVER_HOSTS }, DAYS, now);
  const tokens = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    authority: write('ca.pem', authority.cert),
    server: { cert: write('server.pem', server.cert), key: write('server.key', server.key) },
    serviceAccounts: {
      publicKey: write('service-accounts.pem', tokens.publicKey),
      privateKey: write('service-accounts.key', tokens.privateKey),
    },
    caPem: authority.cert,
    admin: await issueCertificate(authority, { commonName: 'test-admin', organization: MASTERS }, DAYS, now),
  };
}
