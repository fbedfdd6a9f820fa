import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

export interface StubRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
  response: ServerResponse;
}

/** A server that stands in for the API server. */
export interface KubeStub {
  url: string;
  /** Path of a kubeconfig for the stub. */
  kubeconfig: string;
  /** Folder for further files. */
  folder: string;
  requests: StubRequest[];
  stop: () => Promise<void>;
}

/** Sends a JSON response. */
export function answer(response: ServerResponse, status: number, value: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Builds a Status object, which the API server returns with errors. */
export function statusOf(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason };
}

/** Builds a kubeconfig with the given user. */
export function kubeconfigFor(server: string, user: object, namespace = 'svc-asr'): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    // Without TLS the client requires this option.
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  });
}

/** Starts the stub on a loopback port. `handle` is called for each request after its body has arrived. */
export async function startKubeStub(handle: (request: StubRequest) => void, user: object = {}): Promise<KubeStub> {
  const requests: StubRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const body = Buffer.concat(chunks).toString('utf8');
      const request = { method, url: new URL(url, 'http://stub'), headers, body, response };
      requests.push(request);
      handle(request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-kube-stub-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(url, user));
  return {
    url,
    kubeconfig,
    folder,
    requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
