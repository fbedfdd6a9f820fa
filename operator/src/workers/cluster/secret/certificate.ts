import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, both PEM. */
export interface KeyPairPem {
  cert: string;
  key: string;
}

/** Content of a certificate that a CA signs. */
export interface CertificateRequest {
  commonName: string;
  dnsNames: readonly string[];
  notBefore: Date;
  notAfter: Date;
}

const LEAF_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const HASH = 'SHA-256';
/** Names of the NIST curves in Web Crypto, by their names in OpenSSL. */
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** Creates a key pair. Issues a server certificate for it, which the CA signs. */
export async function issueServerCertificate(ca: KeyPairPem, request: CertificateRequest): Promise<KeyPairPem> {
  const issuer = new x509.X509Certificate(ca.cert);
  const keys = await webcrypto.subtle.generateKey(LEAF_ALGORITHM, true, ['sign', 'verify']);
  const { signingKey, signingAlgorithm } = readSigningKey(ca.key);
  // The key id is copied from the certificate of the CA, because OpenSSL compares it with the key id in the issued
  // certificate. Each tool derives a key id in its own way.
  const issuerKeyId = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [request.commonName] }],
    issuer: issuer.subjectName,
    serialNumber: serialNumber(),
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(request.dnsNames.map((value) => ({ type: 'dns', value }))),
      ...(issuerKeyId === undefined ? [] : [new x509.AuthorityKeyIdentifierExtension(issuerKeyId)]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: cert.toString('pem'), key };
}

/** Returns the certificate if the CA signed it, it matches the key and it has all names. Undefined otherwise. */
export function readIssuedCertificate(
  { cert, key }: KeyPairPem,
  ca: KeyPairPem,
  dnsNames: readonly string[],
): X509Certificate | undefined {
  try {
    const found = new X509Certificate(cert);
    const issuer = new X509Certificate(ca.cert);
    const isUsable =
      found.checkIssued(issuer) &&
      found.verify(issuer.publicKey) &&
      found.checkPrivateKey(createPrivateKey(key)) &&
      dnsNames.every((name) => found.checkHost(name) !== undefined);
    return isUsable ? found : undefined;
  } catch {
    // The certificate or the key is not valid PEM.
    return undefined;
  }
}

function readSigningKey(pem: string) {
  const key = createPrivateKey(pem);
  const signingAlgorithm = signingAlgorithmOf(key);
  return { signingKey: key.toCryptoKey(signingAlgorithm, false, ['sign']), signingAlgorithm };
}

function signingAlgorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: HASH };
  const namedCurve = CURVES[details?.namedCurve ?? ''];
  if (type === 'ec' && namedCurve !== undefined) return { name: 'ECDSA', namedCurve, hash: HASH };
  throw new Error(`the CA has a key of type ${type ?? 'unknown'}: use RSA, or ECDSA with P-256, P-384 or P-521`);
}

function serialNumber(): string {
  // X.509 requires a positive number without leading zeros. This one has 16 bytes.
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}
