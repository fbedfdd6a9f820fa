import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccess } from '@svc-asr/kubernetes';
import { kubeconfigFor } from '../../../../test/support/kubernetes/stub.ts';

/** Stands between Kubernetes' controllers and the API server, and keeps news of some objects back for a while. */
export interface LateNews {
  /** Path of a kubeconfig that leads through it. */
  kubeconfig: string;
  stop: () => Promise<void>;
}

/** Headers that are about this connection, not the one behind it. */
const OWN_HEADERS = ['host', 'authorization', 'connection'];

/** Starts it: what comes of the watch of this plural comes so much later, as from a server that has much to do. */
export async function startLateNews(kubeconfig: string, plural: string, lateMs: number): Promise<LateNews> {
  const access = createAccess(kubeconfig, () => performance.now());
  const sockets = new Set<Socket>();

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '', 'http://proxy');
    const isLate = url.pathname.endsWith(`/${plural}`) && url.searchParams.get('watch') === 'true';
    const { server: target, headers, tls } = await access.current();
    const kept = Object.entries(incoming.headers).filter(([name]) => !OWN_HEADERS.includes(name));
    const outgoing = requestHttps({
      ...{ host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, ...tls },
      headers: { ...Object.fromEntries(kept), ...headers },
      agent: false,
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      response.flushHeaders();
      const later = (work: () => void) => (isLate ? void setTimeout(work, lateMs).unref() : work());
      upstream.on('data', (chunk: Buffer) => later(() => response.write(chunk)));
      upstream.on('end', () => later(() => response.end()));
      upstream.on('error', () => response.destroy());
    });
    incoming.pipe(outgoing);
  }

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-late-news-'));
  const file = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  writeFileSync(file, kubeconfigFor(`http://127.0.0.1:${port}`, {}), { mode: 0o600 });
  return {
    kubeconfig: file,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
