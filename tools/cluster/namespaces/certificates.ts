import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { issueCertificate, createCa } from '../../start/certificates.ts';
import type { KeyPairPem, Subject } from '../../start/certificates.ts';
import type { ClusterPlan } from './plan.ts';

const DAYS = 365;
/** Group whose members have all permissions, independent of roles. */
const MASTERS = 'system:masters';

/** A certificate and its key as PEM text, and the paths of the files that contain them. */
export interface KeyPairFiles extends KeyPairPem {
  certFile: string;
  keyFile: string;
}

/** Certificates and keys of a cluster. */
export interface Certificates {
  caFile: string;
  ca: string;
  /** Certificate of etcd and the API server. */
  server: KeyPairFiles;
  serviceAccounts: { publicKey: string; privateKey: string };
  admin: KeyPairPem;
  /** Certificates of the kubelets by node name. Each is used as a server certificate and as a client certificate. */
  kubelets: Readonly<Record<string, KeyPairFiles>>;
}

/** Creates a CA and all certificates and keys of a cluster. */
export async function createCertificates(plan: ClusterPlan, now: Date): Promise<Certificates> {
  mkdirSync(plan.certificates, { recursive: true, mode: 0o700 });
  const ca = await createCa(now);
  const write = (name: string, text: string) => {
    const file = join(plan.certificates, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const issue = async (name: string, subject: Subject): Promise<KeyPairFiles> => {
    const pair = await issueCertificate(ca, subject, DAYS, now);
    return { ...pair, certFile: write(`${name}.pem`, pair.cert), keyFile: write(`${name}.key`, pair.key) };
  };
  const hosts = ['kubernetes.default.svc', 'localhost', '127.0.0.1', plan.nodes[0].address, plan.apiServiceAddress];
  const kubelets: Record<string, KeyPairFiles> = {};
  for (const { name, address } of plan.nodes) {
    const subject = { commonName: `system:node:${name}`, organization: 'system:nodes', hosts: [name, address] };
    kubelets[name] = await issue(name, subject);
  }
  const tokens = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    caFile: write('ca.pem', ca.cert),
    ca: ca.cert,
    // The API server also uses this certificate as a client of the kubelets, so the certificate needs all permissions.
    server: await issue('server', { commonName: 'kube-apiserver', organization: MASTERS, hosts }),
    serviceAccounts: {
      publicKey: write('service-accounts.pem', tokens.publicKey),
      privateKey: write('service-accounts.key', tokens.privateKey),
    },
    admin: await issueCertificate(ca, { commonName: 'admin', organization: MASTERS }, DAYS, now),
    kubelets,
  };
}

/** Writes a kubeconfig file for a user with a client certificate. Returns its path. */
export function writeKubeconfig(
  file: string,
  { url, ca, user }: { url: string; ca: string; user: KeyPairPem },
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const name = 'svc-asr';
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name, server: url, caData: base64(ca), skipTLSVerify: false }],
    users: [{ name, certData: base64(user.cert), keyData: base64(user.key) }],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  writeFileSync(file, config.exportConfig(), { mode: 0o600 });
  return file;
}
