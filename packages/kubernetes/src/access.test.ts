import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccess } from './access.ts';
import { kubeconfigFor, startKubeStub } from '../../../test/support/kubernetes/stub.ts';
import type { KubeStub } from '../../../test/support/kubernetes/stub.ts';

let stub: KubeStub;
let nowMs = 0;

beforeEach(async () => {
  nowMs = 0;
  stub = await startKubeStub(() => undefined, { token: 'first' });
});
afterEach(() => stub.stop());

const open = () => createAccess(stub.kubeconfig, () => nowMs);
const write = (user: object, server = 'http://127.0.0.1:1') =>
  writeFileSync(stub.kubeconfig, kubeconfigFor(server, user, 'here'));

test('createAccess returns the server, the namespace and the token of the kubeconfig', async () => {
  const access = open();
  expect(access.namespace).toBe('svc-asr');
  expect(await access.current()).toMatchObject({
    server: new URL(stub.url),
    headers: { Authorization: 'Bearer first' },
    proxy: undefined,
  });
});

test('createAccess reloads a rotated token after a 401, and refuses to reload it again immediately', async () => {
  const access = open();
  await access.current();
  write({ token: 'second' });
  expect((await access.current()).headers.Authorization).toBe('Bearer first');
  nowMs += 20_000;
  expect(access.renew()).toBe(true);
  expect((await access.current()).headers.Authorization).toBe('Bearer second');
  expect(access.renew()).toBe(false);
});

test('createAccess runs an exec plugin only once for many concurrent requests', async () => {
  const script = join(stub.folder, 'plugin');
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
  const status = { token: 'made-up', expirationTimestamp: '2000-01-01T00:00:00Z' };
  const lines = ['#!/bin/sh', `echo x >> "${script}.calls"`, `echo '${JSON.stringify({ ...credential, status })}'`];
  writeFileSync(script, lines.join('\n'));
  chmodSync(script, 0o755);
  write({ exec: { apiVersion: credential.apiVersion, command: script, interactiveMode: 'Never' } });
  const access = open();
  const all = await Promise.all(Array.from({ length: 20 }, () => access.current()));
  expect(new Set(all.map(({ headers }) => headers.Authorization))).toEqual(new Set(['Bearer made-up']));
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(`${script}.calls`, 'utf8')).toBe('x\n');
});

test('createAccess runs an exec plugin again after it failed', async () => {
  write({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: join(stub.folder, 'absent') } });
  const access = open();
  await expect(access.current()).rejects.toThrow('ENOENT');
  const script = join(stub.folder, 'absent');
  writeFileSync(script, `#!/bin/sh\necho '{"status":{"token":"late"}}'\n`);
  chmodSync(script, 0o755);
  expect((await access.current()).headers.Authorization).toBe('Bearer late');
});

test('createAccess returns the same TLS options while certificates are unchanged, so that connections are reused', async () => {
  const access = open();
  const before = await access.current();
  nowMs += 20_000;
  const after = await access.current();
  expect(after).not.toBe(before);
  expect(after.tls).toBe(before.tls);
});

test('outside of a cluster, createAccess without a kubeconfig path throws an error that asks for the path', () => {
  const host = process.env.KUBERNETES_SERVICE_HOST;
  delete process.env.KUBERNETES_SERVICE_HOST;
  try {
    expect(() => createAccess(undefined, () => 0)).toThrow('set the path of a kubeconfig');
  } finally {
    if (host !== undefined) process.env.KUBERNETES_SERVICE_HOST = host;
  }
});
