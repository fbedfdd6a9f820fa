import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createServer } from 'node:https';
import type { RequestListener, ServerOptions } from 'node:http';
import type { Server } from 'node:https';
import type { Logger } from './logger.ts';

const LOOK_MS = 10_000;

/** Where a certificate chain and its private key are, both PEM. */
export interface CertificateFiles {
  readonly TLS_CERT_FILE: string;
  readonly TLS_KEY_FILE: string;
}

/** A server with TLS that takes up a renewed certificate without a restart. */
export function createSecureServer(
  { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: CertificateFiles,
  options: ServerOptions,
  handler: RequestListener,
  { logger, lookMs = LOOK_MS }: { logger: Logger; lookMs?: number },
): Server {
  const read = () => ({ cert: readFileSync(cert), key: readFileSync(key), minVersion: 'TLSv1.2' as const });
  const server = createServer({ ...options, ...read() }, handler);
  const reload = () => {
    try {
      server.setSecureContext(read());
      logger.info('the certificate was renewed');
    } catch (err) {
      logger.error({ err }, 'the renewed certificate cannot be used; the old one stays');
    }
  };
  // Both: whoever renews writes one after the other, and a look in between finds two that do not belong together.
  for (const file of [cert, key]) {
    watchFile(file, { interval: lookMs, persistent: false }, reload);
    server.once('close', () => unwatchFile(file, reload));
  }
  return server;
}
