import type { RequestListener, Server } from 'node:http';
import { createSecureServer } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { GatewaySettings } from '../settings.ts';

/** Maximum number of connections to the internal port. Only consoles connect, and they wait for each response. */
const MAX_CONNECTIONS = 100;

/** Starts the internal port. Returns undefined if INTERNAL_PORT is 0. */
export async function listenInternally(
  settings: GatewaySettings,
  createHandler: () => RequestListener,
  logger: Logger,
): Promise<Server | undefined> {
  const { INTERNAL_PORT: port, INTERNAL_TLS_CERT_FILE: cert, INTERNAL_TLS_KEY_FILE: key } = settings;
  if (port === 0) return undefined;
  if (cert === '' || key === '') {
    throw new Error('INTERNAL_PORT is set, so set INTERNAL_TLS_CERT_FILE and INTERNAL_TLS_KEY_FILE too');
  }
  const timeouts = { headersTimeout: settings.HEADERS_TIMEOUT_MS, requestTimeout: settings.HEADERS_TIMEOUT_MS };
  const files = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
  const server = createSecureServer(files, timeouts, createHandler(), { logger });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, settings.INTERNAL_HOST, resolve);
  });
  return server;
}
