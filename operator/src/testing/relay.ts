import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccess } from '@svc-asr/kubernetes';
import type { AccessKeeper } from '@svc-asr/kubernetes';
import { kubeconfigFor } from '../../../test/support/kubernetes/stub.ts';

/**
 * Forwards a request to the API server. The relay sends status and headers of the response itself. `onAnswer` must send
 * the body.
 */
export type Forward = (onAnswer: (upstream: IncomingMessage) => void) => void;

/** An HTTP relay between a client and the API server. */
export interface Relay {
  /** Path of a kubeconfig that points to the relay. */
  kubeconfig: string;
  /** Closes every connection. */
  dropAll: () => void;
  stop: () => Promise<void>;
}

export interface RelayOptions {
  namespace?: string;
  /** Returns whether new connections are refused. */
  refuses?: () => boolean;
  onRequest: (incoming: IncomingMessage, response: ServerResponse, forward: Forward) => void;
}

/** Headers that belong to the client's connection and are not forwarded. */
const OWN_HEADERS = ['host', 'authorization', 'connection'];

/** Starts a relay in front of the cluster of a kubeconfig. */
export async function startRelay(kubeconfig: string, options: RelayOptions): Promise<Relay> {
  const { namespace, refuses = () => false, onRequest } = options;
  const access = createAccess(kubeconfig, () => performance.now());
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    onRequest(incoming, response, (onAnswer) => {
      forward(access, incoming, response, onAnswer).catch(() => response.destroy());
    });
  });
  server.on('connection', (socket) => {
    if (refuses()) socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-relay-'));
  const file = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  writeFileSync(file, kubeconfigFor(`http://127.0.0.1:${port}`, {}, namespace), { mode: 0o600 });
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig: file,
    dropAll,
    stop: async () => {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Sends a request to the API server with the credentials of the relay. Then sends status and headers of the response to
 * the client.
 */
async function forward(
  access: AccessKeeper,
  incoming: IncomingMessage,
  response: ServerResponse,
  onAnswer: (upstream: IncomingMessage) => void,
): Promise<void> {
  const { server, headers, tls } = await access.current();
  const kept = Object.entries(incoming.headers).filter(([name]) => !OWN_HEADERS.includes(name));
  const outgoing = requestHttps({
    host: server.hostname,
    port: server.port,
    path: incoming.url,
    method: incoming.method,
    ...tls,
    headers: { ...Object.fromEntries(kept), ...headers },
    agent: false,
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  outgoing.on('response', (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    response.flushHeaders();
    upstream.on('error', () => response.destroy());
    onAnswer(upstream);
  });
  incoming.pipe(outgoing);
}
