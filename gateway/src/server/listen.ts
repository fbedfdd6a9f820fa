import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createSecureServer } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { TrustProxy } from './client-address.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { GatewaySettings } from '../settings.ts';
import { answerBrokenRequests } from './broken-request.ts';
import { limitConnections, maxConnectionsOf } from './connections.ts';

export interface ListenOptions {
  settings: GatewaySettings;
  logger: Logger;
  metrics: Pick<GatewayMetrics, 'requests' | 'connectionsRefused'>;
  trustProxy: TrustProxy;
}

/** Starts the public port: HTTPS if a certificate is set, otherwise plain HTTP. */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Server> {
  const { settings, logger, metrics, trustProxy } = options;
  if ((settings.TLS_CERT_FILE === '') !== (settings.TLS_KEY_FILE === '')) {
    throw new Error('set both TLS_CERT_FILE and TLS_KEY_FILE, or neither');
  }
  const timeouts = {
    headersTimeout: settings.HEADERS_TIMEOUT_MS,
    requestTimeout: settings.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: settings.KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    // `checkHeaders` refuses a request without a Host header, in the same format as every other error.
    requireHostHeader: false,
    // An offer of HTTP/2 without TLS (h2c) is ignored, and the request is answered over HTTP/1.1.
    shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server =
    settings.TLS_CERT_FILE === ''
      ? createServer(timeouts, handler)
      : createSecureServer(settings, { ...timeouts, handshakeTimeout: settings.TLS_HANDSHAKE_TIMEOUT_MS }, handler, {
          logger,
        });
  limitConnections(server, {
    max: maxConnectionsOf(settings.MAX_CONNECTIONS),
    maxPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    trustProxy,
    metrics,
  });
  server.on('clientError', answerBrokenRequests(logger, metrics));
  server.on('checkExpectation', handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.PORT, settings.HOST, resolve);
  });
  return server;
}

export function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Refuses new connections. Resolves when every request in flight is answered and every WebSocket is closed. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Idle keep-alive connections are closed. Otherwise the server could not close until the clients close these
  // connections.
  const timer = setInterval(() => server.closeIdleConnections(), 100);
  server.closeIdleConnections();
  await closed;
  clearInterval(timer);
}
