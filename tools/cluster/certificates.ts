import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority } from '../start/certificates.ts';
import type { KeyPairPem } from '../start/certificates.ts';
import { makeIdentity } from './identity.ts';
import type { Subject } from './identity.ts';
import type { ClusterPlan } from './plan.ts';

const DAYS = 365;
/** Members of this group may do everything; the API server knows it without any role. */
const MASTERS = 'system:masters';

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
    const pair = await makeIdentity(authority, subject, DAYS, now);
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
    admin: await makeIdentity(authority, { commonName: 'admin', organization: MASTERS }, DAYS, now),
    kubelets,
  };
}
