import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@svc-asr/runtime';
import express from 'express';
import { send } from '../../test/support/answer.ts';
import { createCertificate } from '../../test/support/certificate.ts';
import { freePort } from '../../test/support/ports.ts';
import { requireTls } from './http/require-tls.ts';
import { startAdminApi, startPage } from './ports.ts';

const logger = createLogger('console', 'silent');
const app: RequestListener = (_request, response) => response.end('admin API');
const portOf = (server: Server) => (server.address() as AddressInfo).port;

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-ports-'));
const files = { ADMIN_API_TLS_CERT_FILE: join(folder, 'tls.crt'), ADMIN_API_TLS_KEY_FILE: join(folder, 'tls.key') };
const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

describe('startPage', () => {
  const plain = { CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: 0, TLS_CERT_FILE: '', TLS_KEY_FILE: '' };

  test('fails if only one of TLS_CERT_FILE and TLS_KEY_FILE is set', async () => {
    for (const half of [{ TLS_CERT_FILE: 'x.pem' }, { TLS_KEY_FILE: 'x.pem' }]) {
      await expect(startPage({ ...plain, ...half }, app, logger)).rejects.toThrow(
        'set both TLS_CERT_FILE and TLS_KEY_FILE',
      );
    }
  });

  test('fails if the port is in use', async () => {
    const server = await startPage(plain, app, logger);
    servers.push(server);
    await expect(startPage({ ...plain, CONSOLE_PORT: portOf(server) }, app, logger)).rejects.toThrow('EADDRINUSE');
  });
});

test.each([
  ['console.example.org', 'max-age=31536000'],
  ['localhost:8444', undefined],
])(
  'a response of the host %s has the header Strict-Transport-Security: %s over TLS, and no such header over HTTP',
  async (host, rule) => {
    const { cert, key } = await createCertificate();
    const tls = { TLS_CERT_FILE: join(folder, 'page.crt'), TLS_KEY_FILE: join(folder, 'page.key') };
    writeFileSync(tls.TLS_CERT_FILE, cert);
    writeFileSync(tls.TLS_KEY_FILE, key);
    const page = express().use(requireTls, app);
    const settings = { CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: 0 };
    const [secure, plain] = [
      await startPage({ ...settings, ...tls }, page, logger),
      await startPage({ ...settings, TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, page, logger),
    ];
    servers.push(secure, plain);
    const overTls = await send(`https://127.0.0.1:${portOf(secure)}/`, {
      ca: cert,
      servername: 'localhost',
      headers: { host },
    });
    expect(overTls.headers['strict-transport-security']).toBe(rule);
    const overHttp = await send(`http://127.0.0.1:${portOf(plain)}/`, { headers: { host } });
    expect(overHttp.headers['strict-transport-security']).toBeUndefined();
  },
);

describe('startAdminApi', () => {
  const closed = {
    ADMIN_API_PORT: 0,
    ADMIN_API_TLS_PORT: 0,
    ADMIN_API_TLS_HOST: '127.0.0.1',
    ADMIN_API_TLS_CERT_FILE: '',
    ADMIN_API_TLS_KEY_FILE: '',
  };

  test('listens only on loopback if ADMIN_API_TLS_PORT is 0', async () => {
    const { local, remote } = await startAdminApi(closed, app, logger);
    servers.push(local);
    expect(remote).toBeUndefined();
    expect(local.address()).toMatchObject({ address: '127.0.0.1' });
    expect((await send(`http://127.0.0.1:${portOf(local)}/`)).text).toBe('admin API');
  });

  test('serves TLS, and no plain HTTP, on ADMIN_API_TLS_PORT', async () => {
    const { cert, key } = await createCertificate();
    writeFileSync(files.ADMIN_API_TLS_CERT_FILE, cert);
    writeFileSync(files.ADMIN_API_TLS_KEY_FILE, key);
    const port = await freePort();
    const { local, remote } = await startAdminApi({ ...closed, ...files, ADMIN_API_TLS_PORT: port }, app, logger);
    servers.push(local, ...(remote === undefined ? [] : [remote]));
    expect((await send(`https://127.0.0.1:${port}/`, { ca: cert })).text).toBe('admin API');
    await expect(send(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  test('refuses ADMIN_API_TLS_PORT without a certificate and its key', async () => {
    for (const half of [{}, { ADMIN_API_TLS_CERT_FILE: 'x.pem' }, { ADMIN_API_TLS_KEY_FILE: 'x.pem' }]) {
      await expect(startAdminApi({ ...closed, ...half, ADMIN_API_TLS_PORT: 9443 }, app, logger)).rejects.toThrow(
        'ADMIN_API_TLS_PORT is set, so set ADMIN_API_TLS_CERT_FILE and ADMIN_API_TLS_KEY_FILE too',
      );
    }
  });
});
