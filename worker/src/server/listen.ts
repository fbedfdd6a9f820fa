import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RELAY_UPGRADE } from '@svc-asr/core';
import { createSecureServer } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { WorkerSettings } from '../settings.ts';

type Settings = Pick<WorkerSettings, 'HOST' | 'PORT' | 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

const TIMEOUTS = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 };

/**
 * Opens the port of an I/O thread for streams, with TLS if a certificate is set. The I/O threads use consecutive ports,
 * or any free ports if PORT is 0. Requests without an upgrade are answered with status 426.
 */
export async function listen(
  settings: Settings,
  logger: Logger,
  thread = 0,
): Promise<{ server: Server; port: number }> {
  const server =
    settings.TLS_CERT_FILE === ''
      ? createServer(TIMEOUTS, requireUpgrade)
      : createSecureServer(settings, TIMEOUTS, requireUpgrade, { logger });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.PORT === 0 ? 0 : settings.PORT + thread, settings.HOST, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const requireUpgrade: RequestListener = (_request, response) => {
  response.writeHead(426, { connection: 'close', upgrade: RELAY_UPGRADE, 'content-type': 'text/plain' });
  response.end('this port accepts only connections from gateways\n');
};
