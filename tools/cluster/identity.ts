import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import type { KeyPairPem } from '../start/certificates.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** Whom a certificate is for: Kubernetes reads user and group from its subject. */
export interface Subject {
  commonName: string;
  organization?: string;
  hosts?: readonly string[];
}

/** Makes a certificate by which a server or a client of a cluster is known, for some days. */
export async function makeIdentity(
  authority: KeyPairPem,
  subject: Subject,
  days: number,
  now: Date,
): Promise<KeyPairPem> {
  const { commonName, organization, hosts = [] } = subject;
  const issuer = new x509.X509Certificate(authority.cert);
  const authorityKey = x509.PemConverter.decodeFirst(authority.key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', authorityKey, ALGORITHM, false, ['sign']);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
    issuer: issuer.subject,
    serialNumber: `40${randomBytes(15).toString('hex')}`,
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + days * DAY_MS),
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
