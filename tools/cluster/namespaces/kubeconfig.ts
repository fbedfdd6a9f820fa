import { writeFileSync } from 'node:fs';
import type { KeyPairPem } from '../../start/certificates.ts';

/** Writes a kubeconfig file for a user with a client certificate. JSON is valid YAML. */
export function writeKubeconfig(
  file: string,
  { url, ca, user }: { url: string; ca: string; user: KeyPairPem },
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const name = 'svc-asr';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name, user: { 'client-certificate-data': base64(user.cert), 'client-key-data': base64(user.key) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return file;
}
