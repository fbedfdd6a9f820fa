import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { makeAuthority } from '../../../tools/start/certificates.ts';
import type { KeyPairPem } from '../../../tools/start/certificates.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const SERVER_HOSTS = ['127.0.0.1', 'localhost', 'kubernetes.default.svc'];
/** Members of this group may do everything; the API server knows it without any role. */
const MASTERS = 'system:masters';

/** Where the keys of one cluster lie, and those that requests of the tests are made with. */
export interface Certificates {
  authority: string;
  /** Of etcd and the API server. */
  server: { cert: string; key: string };
  serviceAccounts: { publicKey: string; privateKey: string };
  caPem: string;
  admin: KeyPairPem;
}

/** Makes an authority and all certificates and keys of a cluster in a folder. */
export async function makeCertificates(folder: string, now: Date): Promise<Certificates> {
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const authority = await makeAuthority(now);
  const server = await makeCertificate(authority, { commonName: 'kube-apiserver', hosts: SERVER_HOSTS }, now);
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
    admin: await makeCertificate(authority, { commonName: 'test-admin', organization: MASTERS }, now),
  };
}

/** Makes a certificate by which a server or a client is known: Kubernetes reads user and group from its subject. */
export async function makeCertificate(
  authority: KeyPairPem,
  subject: { commonName: string; organization?: string; hosts?: readonly string[] },
  now: Date,
): Promise<KeyPairPem> {
  const { commonName, organization, hosts = [] } = subject;
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key),
    ALGORITHM,
    false,
    ['sign'],
  );
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
    issuer: issuer.subject,
    serialNumber: `40${randomBytes(15).toString('hex')}`,
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + DAY_MS),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      // Both: etcd uses its own certificate as a client of itself.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: cert.toString('pem'), key };
}
