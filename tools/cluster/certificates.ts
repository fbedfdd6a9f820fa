import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { makeAuthority } from '../start/certificates.ts';
import type { KeyPairPem } from '../start/certificates.ts';
import type { ClusterPlan } from './plan.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const DAYS = 365;
/** Members of this group may do everything; the API server knows it without any role. */
const MASTERS = 'system:masters';

/** Whom a certificate is for: Kubernetes reads user and group from its subject. */
interface Subject {
  commonName: string;
  organization?: string;
  hosts?: readonly string[];
}

/** A certificate and its key in files. */
export interface KeyPairFiles extends KeyPairPem {
  certFile: string;
  keyFile: string;
}

/** The certificates and keys of a cluster. */
export interface Certificates {
  caFile: string;
  ca: string;
  /** Of etcd and the API server. */
  server: KeyPairFiles;
  serviceAccounts: { publicKey: string; privateKey: string };
  admin: KeyPairPem;
  /** By the names of the nodes; as servers and as clients. */
  kubelets: Readonly<Record<string, KeyPairFiles>>;
}

/** Makes an authority and all certificates and keys of a cluster. */
export async function makeCertificates(plan: ClusterPlan, now: Date): Promise<Certificates> {
  mkdirSync(plan.certificates, { recursive: true, mode: 0o700 });
  const authority = await makeAuthority(now);
  const write = (name: string, text: string) => {
    const file = join(plan.certificates, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const make = async (name: string, subject: Subject): Promise<KeyPairFiles> => {
    const pair = await makeCertificate(authority, subject, now);
    return { ...pair, certFile: write(`${name}.pem`, pair.cert), keyFile: write(`${name}.key`, pair.key) };
  };
  const [first] = plan.nodes;
  const hosts = ['kubernetes.default.svc', 'localhost', '127.0.0.1', first.address, plan.apiServiceAddress];
  const kubelets: Record<string, KeyPairFiles> = {};
  for (const { name, address } of plan.nodes) {
    const subject = { commonName: `system:node:${name}`, organization: 'system:nodes', hosts: [name, address] };
    kubelets[name] = await make(name, subject);
  }
  const tokens = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    caFile: write('ca.pem', authority.cert),
    ca: authority.cert,
    // The API server shows it to kubelets too, which is why it may do everything.
    server: await make('server', { commonName: 'kube-apiserver', organization: MASTERS, hosts }),
    serviceAccounts: {
      publicKey: write('service-accounts.pem', tokens.publicKey),
      privateKey: write('service-accounts.key', tokens.privateKey),
    },
    admin: await makeCertificate(authority, { commonName: 'admin', organization: MASTERS }, now),
    kubelets,
  };
}

async function makeCertificate(authority: KeyPairPem, subject: Subject, now: Date): Promise<KeyPairPem> {
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
    notAfter: new Date(now.getTime() + DAYS * DAY_MS),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: cert.toString('pem'), key };
}
