import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccess } from '@svc-asr/kubernetes';
import { kubeconfigFor, statusOf } from '../../../test/support/kubernetes/stub.ts';

export interface ProxyRequest {
  method: string;
  /** Without its query. */
  path: string;
  watches: boolean;
  atMs: number;
}

/** What is answered in place of the API server. */
export interface Fault {
  /** Which requests. */
  on: (request: ProxyRequest) => boolean;
  status: number;
  reason: string;
  retryAfterSeconds?: number;
  /** How many of them; then it is over. */
  times: number;
}

/** Stands between a client and the API server, and does what networks and busy servers do. */
export interface FaultProxy {
  /** Path of a kubeconfig that leads through it. */
  kubeconfig: string;
  requests: ProxyRequest[];
  faults: Fault[];
  /** Ends all watches in the middle. */
  cutWatches: () => void;
  /** Watches that are open get nothing any more, and do not end. */
  holdWatches: () => void;
  /** While true, nobody gets a connection, and those that have one lose it. */
  refuse: (refuses: boolean) => void;
  openWatches: () => number;
  stop: () => Promise<void>;
}

/** Headers that are about this connection, not the one behind it. */
const OWN_HEADERS = ['host', 'authorization', 'connection'];

/** Starts it in front of the cluster that a kubeconfig leads to. */
export async function startFaultProxy(kubeconfig: string, namespace: string): Promise<FaultProxy> {
  const access = createAccess(kubeconfig, () => performance.now());
  const requests: ProxyRequest[] = [];
  const faults: Fault[] = [];
  const sockets = new Set<Socket>();
  const watches = new Set<{ upstream: IncomingMessage; response: ServerResponse; held: boolean }>();
  let refuses = false;

  async function forward(incoming: IncomingMessage, response: ServerResponse, isWatch: boolean): Promise<void> {
    const { server: target, headers, tls } = await access.current();
    const kept = Object.entries(incoming.headers).filter(([name]) => !OWN_HEADERS.includes(name));
    const outgoing = requestHttps({
      host: target.hostname,
      port: target.port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...Object.fromEntries(kept), ...headers },
      ...tls,
      agent: false,
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      response.flushHeaders();
      const watch = { upstream, response, held: false };
      if (isWatch) watches.add(watch);
      upstream.on('data', (chunk: Buffer) => {
        if (!watch.held) response.write(chunk);
      });
      upstream.on('close', () => {
        watches.delete(watch);
        if (!watch.held) response.end();
      });
      upstream.on('error', () => response.destroy());
    });
    incoming.pipe(outgoing);
  }

  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://proxy');
    const isWatch = url.searchParams.get('watch') === 'true';
    const request = { method: incoming.method ?? '', path: url.pathname, watches: isWatch, atMs: performance.now() };
    requests.push(request);
    const fault = faults.find((one) => one.times > 0 && one.on(request));
    if (fault === undefined) {
      void forward(incoming, response, isWatch);
      return;
    }
    fault.times -= 1;
    const retry = fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
    response.writeHead(fault.status, { 'content-type': 'application/json', ...retry });
    response.end(JSON.stringify(statusOf(fault.status, fault.reason)));
  });
  server.on('connection', (socket) => {
    if (refuses) socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-fault-proxy-'));
  const file = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  writeFileSync(file, kubeconfigFor(`http://127.0.0.1:${port}`, {}, namespace), { mode: 0o600 });
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig: file,
    requests,
    faults,
    cutWatches: () => {
      for (const { response } of watches) response.destroy();
    },
    holdWatches: () => {
      for (const watch of watches) watch.held = true;
    },
    refuse: (next) => {
      refuses = next;
      if (next) dropAll();
    },
    openWatches: () => watches.size,
    stop: async () => {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
