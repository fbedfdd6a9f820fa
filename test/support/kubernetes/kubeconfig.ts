import { writeFileSync } from 'node:fs';
import type { KeyPairPem } from '../../../tools/start/certificates.ts';

/** Credentials of a client: a certificate or a token. */
export type Identity = KeyPairPem | { token: string };

/** Writes a kubeconfig file as JSON, which is valid YAML. */
export function writeKubeconfig(
  file: string,
  { url, ca, identity, namespace }: { url: string; ca: string; identity: Identity; namespace?: string },
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user =
    'token' in identity
      ? { token: identity.token }
      : { 'client-certificate-data': base64(identity.cert), 'client-key-data': base64(identity.key) };
  const context = { cluster: 'test', user: 'test', ...(namespace === undefined ? {} : { namespace }) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context }],
    'current-context': 'test',
  };
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return file;
}
