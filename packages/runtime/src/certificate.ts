import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { Server, ServerOptions as SecureServerOptions } from 'node:https';
import type { Logger } from './logger.ts';

const POLL_MS = 10_000;
/** Default time for a client to complete the TLS handshake. The default of Node is two minutes. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * Default cipher suites of TLS 1.3, and cipher suites of TLS 1.2 that have authenticated encryption (AEAD) and forward
 * secrecy.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Paths of a certificate chain and its private key, both in PEM format. */
export interface CertificateFiles {
  readonly TLS_CERT_FILE: string;
  readonly TLS_KEY_FILE: string;
}

/** Creates a TLS server that reloads a renewed certificate without a restart. */
export function createSecureServer(
  { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: CertificateFiles,
  options: SecureServerOptions,
  handler: RequestListener,
  { logger, pollMs = POLL_MS }: { logger: Logger; pollMs?: number },
): Server {
  const read = () => ({ cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') });
  let pair = read();
  const context = { minVersion: 'TLSv1.2', ciphers: CIPHERS } as const;
  const server = createServer({ handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...options, ...context, ...pair }, handler);
  let failure = '';
  // Compares the content of both files at each poll. While only one of the two files has been replaced, they do not
  // match, and `setSecureContext` throws. A later poll then tries again.
  const reload = () => {
    try {
      const found = read();
      if (found.cert === pair.cert && found.key === pair.key) return;
      server.setSecureContext({ ...context, ...found });
      pair = found;
      failure = '';
      logger.info('the certificate was renewed');
    } catch (err) {
      // The same error occurs at every poll until it is fixed, so it is logged once.
      const message = String(err);
      if (message === failure) return;
      failure = message;
      logger.error({ err }, 'the renewed certificate cannot be used; keeping the old one');
    }
  };
  const timer = setInterval(reload, pollMs).unref();
  server.once('close', () => clearInterval(timer));
  return server;
}
