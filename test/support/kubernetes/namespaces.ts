import { randomBytes } from 'node:crypto';
import { eventually } from '../eventually.ts';
import { demand } from './request.ts';
import type { KubeRequest } from './request.ts';

const ACCOUNT_WITHIN_MS = 60_000;

/** Creates a namespace with a random name. Pods can be created in it as soon as the promise resolves. */
export async function createNamespace(
  request: KubeRequest,
  controllers: boolean,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const name = `test-${randomBytes(4).toString('hex')}`;
  await demand(
    request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
  );
  // The API server refuses pods until the service account `default` of the namespace exists.
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
  if (!controllers) {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await demand(request('POST', accounts, account));
  }
  await eventually('the namespace has its default account', ACCOUNT_WITHIN_MS, async () => {
    return (await request('GET', `${accounts}/default`)).status === 200;
  });
  return name;
}

/** Creates a token for a service account, and the account if it does not exist. */
export async function createToken(request: KubeRequest, namespace: string, name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  const created = await request('POST', accounts, account);
  if (created.status !== 409) await demand(created);
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const answer = await demand(request('POST', `${accounts}/${name}/token`, asked));
  return (answer as { status: { token: string } }).status.token;
}
