import type { IncomingMessage, ServerResponse } from 'node:http';
import { statusOf } from '../../../test/support/kubernetes/stub.ts';
import { startRelay } from './relay.ts';

export interface ProxyRequest {
  method: string;
  /** Path of the URL, without the query. */
  path: string;
  watches: boolean;
  atMs: number;
}

/** A response that the proxy sends instead of forwarding the request. */
export interface Fault {
  /** Selects the requests that fail. */
  on: (request: ProxyRequest) => boolean;
  status: number;
  reason: string;
  retryAfterSeconds?: number;
  /** Number of further requests that get this response. */
  times: number;
}

/** A proxy between a client and the API server that simulates network faults and server errors. */
export interface FaultProxy {
  /** Path of a kubeconfig that points to the proxy. */
  kubeconfig: string;
  requests: ProxyRequest[];
  faults: Fault[];
  /** Disconnects all open watches. */
  cutWatches: () => void;
  /** Stops sending events on the open watches, without ending them. */
  holdWatches: () => void;
  /** While true, the proxy refuses new connections. Existing connections are closed. */
  refuse: (refuses: boolean) => void;
  openWatches: () => number;
  stop: () => Promise<void>;
}

/** Starts a proxy in front of the cluster of a kubeconfig. */
export async function startFaultProxy(kubeconfig: string, namespace: string): Promise<FaultProxy> {
  const requests: ProxyRequest[] = [];
  const faults: Fault[] = [];
  const watches = new Set<{ response: ServerResponse; held: boolean }>();
  let refuses = false;

  /** Forwards the response body, except to a watch that is held. */
  function pass(upstream: IncomingMessage, response: ServerResponse, isWatch: boolean): void {
    const watch = { response, held: false };
    if (isWatch) watches.add(watch);
    upstream.on('data', (chunk: Buffer) => {
      if (!watch.held) response.write(chunk);
    });
    upstream.on('close', () => {
      watches.delete(watch);
      if (!watch.held) response.end();
    });
  }

  const relay = await startRelay(kubeconfig, {
    namespace,
    refuses: () => refuses,
    onRequest: (incoming, response, forward) => {
      const url = new URL(incoming.url ?? '', 'http://proxy');
      const isWatch = url.searchParams.get('watch') === 'true';
      const request = { method: incoming.method ?? '', path: url.pathname, watches: isWatch, atMs: performance.now() };
      requests.push(request);
      const fault = faults.find((one) => one.times > 0 && one.on(request));
      if (fault === undefined) {
        forward((upstream) => pass(upstream, response, isWatch));
        return;
      }
      fault.times -= 1;
      const retry = fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
      response.writeHead(fault.status, { 'content-type': 'application/json', ...retry });
      response.end(JSON.stringify(statusOf(fault.status, fault.reason)));
    },
  });
  return {
    kubeconfig: relay.kubeconfig,
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
      if (next) relay.dropAll();
    },
    openWatches: () => watches.size,
    stop: relay.stop,
  };
}
