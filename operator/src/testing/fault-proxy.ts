import type { IncomingMessage, ServerResponse } from 'node:http';
import { statusOf } from '../../../test/support/kubernetes/stub.ts';
import { startRelay } from './relay.ts';

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

/** Starts it in front of the cluster that a kubeconfig leads to. */
export async function startFaultProxy(kubeconfig: string, namespace: string): Promise<FaultProxy> {
  const requests: ProxyRequest[] = [];
  const faults: Fault[] = [];
  const watches = new Set<{ response: ServerResponse; held: boolean }>();
  let refuses = false;

  /** Passes on what the API server answers, unless it is a watch that is held. */
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
