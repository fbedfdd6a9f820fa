import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
/** Browsers reject certificates that are valid for more than 398 days. */
const SERVER_DAYS = 397;
const RENEW_BEFORE_DAYS = 30;

/** A certificate and its private key, both PEM. */
export interface KeyPairPem {
  cert: string;
  key: string;
}

/** Creates a certificate authority (CA) for one local installation. */
export async function createCa(now: Date): Promise<KeyPairPem> {
  const keys = await generateKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=svc-asr local CA ${serialNumber().slice(0, 8)}`,
    serialNumber: serialNumber(),
    ...validity(now, CA_DAYS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

/**
 * Owner of a certificate. In the certificate of a client, Kubernetes reads `commonName` as the user and `organization`
 * as the user's group.
 */
export interface Subject {
  commonName: string;
  organization?: string;
  /** Host names and IP addresses of a server. */
  hosts?: readonly string[];
}

/** Creates a server certificate for host names and addresses, signed by the CA. */
export function createServerCertificate(ca: KeyPairPem, hosts: readonly string[], now: Date): Promise<KeyPairPem> {
  const { serverAuth } = x509.ExtendedKeyUsage;
  return issueCertificate(ca, { commonName: hosts[0] ?? 'localhost', hosts }, SERVER_DAYS, now, [serverAuth]);
}

/** Creates a certificate signed by the CA. It is valid for servers and clients unless `usages` restricts it. */
export async function issueCertificate(
  ca: KeyPairPem,
  { commonName, organization, hosts = [] }: Subject,
  days: number,
  now: Date,
  usages: x509.ExtendedKeyUsageType[] = [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth],
): Promise<KeyPairPem> {
  const issuer = new x509.X509Certificate(ca.cert);
  const keys = await generateKeys();
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
    issuer: issuer.subject,
    serialNumber: serialNumber(),
    ...validity(now, days),
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

/**
 * Returns whether a certificate is signed by the CA, matches its key and hosts, and remains valid for more than 30
 * days. To check a CA, pass it as both `pair` and `ca`.
 */
export function isUsable(pair: KeyPairPem, ca: KeyPairPem, hosts: readonly string[], now: Date): boolean {
  try {
    const cert = new X509Certificate(pair.cert);
    const issuer = new X509Certificate(ca.cert);
    return (
      cert.verify(issuer.publicKey) &&
      cert.checkIssued(issuer) &&
      cert.checkPrivateKey(createPrivateKey(pair.key)) &&
      new Date(cert.validFrom).getTime() <= now.getTime() &&
      new Date(cert.validTo).getTime() - now.getTime() > RENEW_BEFORE_DAYS * DAY_MS &&
      hosts.every((host) => (isIP(host) === 0 ? cert.checkHost(host) : cert.checkIP(host)) !== undefined)
    );
  } catch {
    return false;
  }
}

function validity(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  // The validity starts an hour in the past, because the clocks of a host and its virtual machines may differ.
  return { notBefore: new Date(now.getTime() - 3_600_000), notAfter: new Date(now.getTime() + days * DAY_MS) };
}

function serialNumber(): string {
  // The number has 16 bytes, is positive and has no leading zeros, as X.509 requires.
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), ALGORITHM, false, ['sign']);
}
