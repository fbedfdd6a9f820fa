import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecureServer } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { WorkerSettings } from '../settings.ts';

type Settings = Pick<WorkerSettings, 'HOST' | 'PORT' | 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

const TIMEOUTS = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 };

/** Opens the port for streams, with TLS where a certificate is set; a plain request is told to upgrade. */
export async function listen(settings: Settings, logger: Logger): Promise<{ server: Server; port: number }> {
  const server =
    settings.TLS_CERT_FILE === ''
      ? createServer(TIMEOUTS, toldToUpgrade)
      : createSecureServer(settings, TIMEOUTS, toldToUpgrade, { logger });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.PORT, settings.HOST, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const toldToUpgrade: RequestListener = (_request, response) => {
  response.writeHead(426, { connection: 'close', upgrade: 'websocket', 'content-type': 'text/plain' });
  response.end('this port takes WebSocket connections of gateways only\n');
};
