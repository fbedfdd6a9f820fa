import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createSecureServer } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { ConsoleSettings } from './settings.ts';

type PageSettings = Pick<ConsoleSettings, 'CONSOLE_HOST' | 'CONSOLE_PORT' | 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;
type AdminApiSettings = Pick<
  ConsoleSettings,
  'ADMIN_API_PORT' | 'ADMIN_API_TLS_HOST' | 'ADMIN_API_TLS_PORT' | 'ADMIN_API_TLS_CERT_FILE' | 'ADMIN_API_TLS_KEY_FILE'
>;

/** Servers of the admin API. */
export interface AdminApiServers {
  /** Reachable only from the same machine or pod, and therefore without TLS. */
  readonly local: Server;
  /** Reachable from other machines, with TLS. Undefined if ADMIN_API_TLS_PORT is 0. */
  readonly remote: Server | undefined;
}

/** Starts the console port, with TLS if a certificate is set. */
export async function startPage(settings: PageSettings, app: RequestListener, logger: Logger): Promise<Server> {
  const { CONSOLE_HOST: host, CONSOLE_PORT: port, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = settings;
  if (certFile === '' && keyFile === '') return listen(createServer(app), port, host);
  if (certFile === '' || keyFile === '') throw new Error('set both TLS_CERT_FILE and TLS_KEY_FILE, or neither');
  return listen(createSecureServer(settings, {}, app, { logger }), port, host);
}

/** Starts the admin API on loopback and, if ADMIN_API_TLS_PORT is set, for other machines. */
export async function startAdminApi(
  settings: AdminApiSettings,
  app: RequestListener,
  logger: Logger,
): Promise<AdminApiServers> {
  const { ADMIN_API_TLS_PORT: port, ADMIN_API_TLS_HOST: host } = settings;
  const files = { TLS_CERT_FILE: settings.ADMIN_API_TLS_CERT_FILE, TLS_KEY_FILE: settings.ADMIN_API_TLS_KEY_FILE };
  if (port !== 0 && (files.TLS_CERT_FILE === '' || files.TLS_KEY_FILE === '')) {
    throw new Error('ADMIN_API_TLS_PORT is set, so set ADMIN_API_TLS_CERT_FILE and ADMIN_API_TLS_KEY_FILE too');
  }
  const local = await listen(createServer(app), settings.ADMIN_API_PORT, '127.0.0.1');
  const remote = port === 0 ? undefined : await listen(createSecureServer(files, {}, app, { logger }), port, host);
  return { local, remote };
}

async function listen(server: Server, port: number, host: string): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
