import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUsable, createCa, createServerCertificate } from './certificates.ts';
import { homeOf, createHome } from './home.ts';
import { request } from './request.ts';
import { ensureTls, localHosts } from './tls.ts';

const now = new Date();
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const hosts = ['localhost', '127.0.0.1', '::1', 'box.example'];

test('createServerCertificate uses the CA to issue a certificate for all hosts, valid for no longer than browsers allow', async () => {
  const authority = await createCa(now);
  const server = await createServerCertificate(authority, hosts, now);
  const ca = new X509Certificate(authority.cert);
  const cert = new X509Certificate(server.cert);
  expect(ca.ca).toBe(true);
  expect(ca.verify(ca.publicKey)).toBe(true);
  expect(cert.ca).toBe(false);
  expect(cert.checkIssued(ca)).toBe(true);
  expect(cert.verify(ca.publicKey)).toBe(true);
  expect(cert.checkHost('localhost')).toBe('localhost');
  expect(cert.checkHost('box.example')).toBe('box.example');
  expect(cert.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(cert.checkIP('::1')).toBe('::1');
  expect(cert.checkHost('elsewhere.example')).toBeUndefined();
  expect(cert.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  expect(new Date(cert.validTo).getTime() - new Date(cert.validFrom).getTime()).toBeLessThan(398 * 86_400_000);
});

test('isUsable returns true until 30 days before a certificate expires, and false for other hosts, another key or another CA', async () => {
  const authority = await createCa(now);
  const other = await createCa(now);
  const server = await createServerCertificate(authority, hosts, now);
  expect(isUsable(server, authority, hosts, now)).toBe(true);
  expect(isUsable(server, authority, hosts, later(366))).toBe(true);
  expect(isUsable(server, authority, hosts, later(368))).toBe(false);
  expect(isUsable(server, authority, [...hosts, 'new-name'], now)).toBe(false);
  expect(isUsable(server, other, hosts, now)).toBe(false);
  expect(isUsable({ ...server, key: other.key }, authority, hosts, now)).toBe(false);
  expect(isUsable({ ...server, cert: 'damaged' }, authority, hosts, now)).toBe(false);
});

test('localHosts leaves out a machine name that is not a valid host name', () => {
  expect(localHosts('Box.Example')).toEqual(['localhost', '127.0.0.1', '::1', 'box.example']);
  expect(localHosts('my_box')).toEqual(['localhost', '127.0.0.1', '::1']);
  expect(localHosts('localhost')).toEqual(['localhost', '127.0.0.1', '::1']);
});

describe('ensureTls', () => {
  let folder: string;
  const lines: string[] = [];
  const logProgress = (line: string) => void lines.push(line);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-asr-tls-'));
    lines.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('creates both certificates only once and renews the server certificate before it expires', async () => {
    const home = homeOf({ SVC_ASR_HOME: folder });
    createHome(home);
    const files = await ensureTls(home, now, logProgress);
    expect(lines).toHaveLength(2);
    const read = () => [files.caFile, files.certFile].map((file) => readFileSync(file, 'utf8'));
    const [ca, cert] = read();
    await ensureTls(home, later(1), logProgress);
    expect(read()).toEqual([ca, cert]);
    await ensureTls(home, later(380), logProgress);
    expect(read()[0]).toBe(ca);
    expect(read()[1]).not.toBe(cert);
    for (const file of [files.keyFile, join(home.secrets, 'ca.key')]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('creates a server certificate that a client with the CA trusts', async () => {
    const home = homeOf({ SVC_ASR_HOME: folder });
    createHome(home);
    const files = await ensureTls(home, now, logProgress);
    const options = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
    const server = createServer(options, (_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const ca = readFileSync(files.caFile, 'utf8');
      await expect(request(`https://localhost:${port}/`, { ca })).resolves.toEqual({ status: 200, body: 'hello' });
      await expect(request(`https://localhost:${port}/`)).rejects.toThrow(/certificate/);
    } finally {
      server.close();
    }
  });
});
