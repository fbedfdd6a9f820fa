import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createServer } from 'node:https';
import type { RequestListener, ServerOptions } from 'node:http';
import type { Server } from 'node:https';
import type { Logger } from './logger.ts';

const POLL_MS = 10_000;

/** Paths of a certificate chain and its private key, both in PEM format. */
export interface CertificateFiles {
  readonly TLS_CERT_FILE: string;
  readonly TLS_KEY_FILE: string;
}

/** Creates a TLS server that reloads a renewed certificate without a restart. */
export function createSecureServer(
  { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: CertificateFiles,
  options: ServerOptions,
  handler: RequestListener,
  { logger, pollMs = POLL_MS }: { logger: Logger; pollMs?: number },
): Server {
  const read = () => ({ cert: readFileSync(cert), key: readFileSync(key), minVersion: 'TLSv1.2' as const });
  const server = createServer({ ...options, ...read() }, handler);
  const reload = () => {
    try {
      server.setSecureContext(read());
      logger.info('the certificate was renewed');
    } catch (err) {
      logger.error({ err }, 'the renewed certificate cannot be used; keeping the old one');
    }
  };
  // Watches both files. They are written one after the other, and between the two writes they do not match.
  for (const file of [cert, key]) {
    watchFile(file, { interval: pollMs, persistent: false }, reload);
    server.once('close', () => unwatchFile(file, reload));
  }
  return server;
}
