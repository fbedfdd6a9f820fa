import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import type { GatewaySettings } from '../settings.ts';
import { answerBrokenRequests } from './broken-request.ts';

/** Starts the public port: HTTPS where a certificate is set, else plain HTTP. */
export async function listen(
  handler: RequestListener,
  settings: GatewaySettings,
  logger: Logger,
  metrics: Pick<GatewayMetrics, 'requests'>,
): Promise<Server> {
  if ((settings.TLS_CERT_FILE === '') !== (settings.TLS_KEY_FILE === '')) {
    throw new Error('set both TLS_CERT_FILE and TLS_KEY_FILE, or neither');
  }
  const timeouts = {
    headersTimeout: settings.HEADERS_TIMEOUT_MS,
    requestTimeout: settings.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: settings.KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    // Refused in the chain instead, with an answer in the form of every other error.
    requireHostHeader: false,
    // A client that offers HTTP/2 in the clear (h2c) is answered as if it had not.
    shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server =
    settings.TLS_CERT_FILE === '' ? createServer(timeouts, handler) : secure(handler, timeouts, settings, logger);
  server.on('clientError', answerBrokenRequests(logger, metrics));
  server.on('checkExpectation', handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.PORT, settings.HOST, resolve);
  });
  return server;
}

function secure(handler: RequestListener, timeouts: object, settings: GatewaySettings, logger: Logger): Server {
  const read = () => ({ cert: readFileSync(settings.TLS_CERT_FILE), key: readFileSync(settings.TLS_KEY_FILE) });
  const server = createTlsServer({ ...timeouts, ...read(), minVersion: 'TLSv1.2' }, handler);
  // A renewed certificate is taken up without a restart.
  const reload = () => {
    try {
      server.setSecureContext({ ...read(), minVersion: 'TLSv1.2' });
      logger.info('the certificate was renewed');
    } catch (err) {
      logger.error({ err }, 'the renewed certificate cannot be used; the old one stays');
    }
  };
  for (const file of [settings.TLS_CERT_FILE, settings.TLS_KEY_FILE]) {
    watchFile(file, { interval: 10_000, persistent: false }, reload);
    server.once('close', () => unwatchFile(file, reload));
  }
  return server;
}
