import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { createCertificate } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createSecureServer } from './certificate.ts';
import { createLogger } from './logger.ts';

const POLL_MS = 50;
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-certificate-'));
const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };
let server: Server;
let log = '';
let old: { cert: string; key: string };

beforeAll(async () => {
  old = await createCertificate();
  writeFileSync(files.TLS_CERT_FILE, old.cert);
  writeFileSync(files.TLS_KEY_FILE, old.key);
  const logger = createLogger('test', 'info', { write: (line) => (log += line) });
  server = createSecureServer(files, {}, (_request, response) => response.end(), { logger, pollMs: POLL_MS });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function shown(): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString().trim() ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/**
 * Connects to the server with these TLS options. Returns the TLS version and the cipher suite, or the code of the
 * error.
 */
function negotiate(options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

test.each([
  ['ECDHE-ECDSA-AES128-GCM-SHA256', 'TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['ECDHE-ECDSA-CHACHA20-POLY1305', 'TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['ECDHE-ECDSA-AES128-SHA256', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
  ['ECDHE-ECDSA-AES256-SHA', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
])('a TLS 1.2 client that offers only the cipher %s to createSecureServer gets %s', async (ciphers, result) => {
  expect(await negotiate({ maxVersion: 'TLSv1.2', ciphers })).toBe(result);
});

test('createSecureServer accepts TLS 1.3 and refuses TLS 1.1', async () => {
  expect(await negotiate({})).toMatch(/^TLSv1\.3 TLS_AES_\d+_GCM/);
  expect(await negotiate({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).toMatch(/^E/);
});

test('createSecureServer keeps the old certificate until both the renewed certificate and its key are written', async () => {
  expect(await shown()).toBe(old.cert.trim());
  const renewed = await createCertificate();
  writeFileSync(files.TLS_CERT_FILE, renewed.cert);
  await eventually('a certificate without its key is refused', 30_000, () => log.includes('keeping the old one'));
  expect(await shown()).toBe(old.cert.trim());
  // In the meantime further polls find a certificate and a key that do not match.
  await sleep(2 * POLL_MS);
  writeFileSync(files.TLS_KEY_FILE, renewed.key);
  await eventually('the new certificate is served', 30_000, async () => (await shown()) === renewed.cert.trim());
  expect(await negotiate({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' })).toMatch(/^ERR_SSL/);
  expect(log).not.toContain(renewed.key.slice(40, 80));
});
