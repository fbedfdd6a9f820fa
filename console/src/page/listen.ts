import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createSecureServer } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { ConsoleSettings } from '../settings.ts';

type PageSettings = Pick<ConsoleSettings, 'CONSOLE_HOST' | 'CONSOLE_PORT' | 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

/** Starts the console port, with TLS if a certificate is set. */
export async function startPage(settings: PageSettings, app: RequestListener, logger: Logger): Promise<Server> {
  const server = createPageServer(settings, app, logger);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.CONSOLE_PORT, settings.CONSOLE_HOST, resolve);
  });
  return server;
}

function createPageServer(settings: PageSettings, app: RequestListener, logger: Logger): Server {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = settings;
  if (certFile === '' && keyFile === '') return createServer(app);
  if (certFile === '' || keyFile === '') throw new Error('set both TLS_CERT_FILE and TLS_KEY_FILE, or neither');
  return createSecureServer(settings, {}, app, { logger });
}
