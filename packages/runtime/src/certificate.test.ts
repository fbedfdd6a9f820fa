import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
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

test('createSecureServer reloads a renewed certificate whose key is written later', async () => {
  expect(await shown()).toBe(old.cert.trim());
  const renewed = await createCertificate();
  writeFileSync(files.TLS_CERT_FILE, renewed.cert);
  await eventually('a certificate without its key is refused', 5000, () => log.includes('keeping the old one'));
  expect(await shown()).toBe(old.cert.trim());
  // Changes are detected by the modification time, which must differ from the one before.
  await sleep(2 * POLL_MS);
  writeFileSync(files.TLS_KEY_FILE, renewed.key);
  await eventually('the new certificate is served', 5000, async () => (await shown()) === renewed.cert.trim());
  expect(log).not.toContain(renewed.key.slice(40, 80));
});
