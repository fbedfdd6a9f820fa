import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCa } from '../../../../../test/support/ca.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { createCertificateSource } from './certificate-source.ts';

const DAY_MS = 86_400_000;
const DOMAIN = 'workers.svc-asr.internal';
const START_MS = Date.parse('2026-01-01T00:00:00Z');

let caCertFile: string;
let caKeyFile: string;
let nowMs: number;

beforeEach(async () => {
  const folder = temporaryFolder('ca');
  [caCertFile, caKeyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  nowMs = START_MS;
  await replaceCa();
});

/** Writes another CA to the CA file, followed by the certificates in `trusted`. */
async function replaceCa(trusted = ''): Promise<string> {
  const { cert, key } = await createCa(new Date(START_MS));
  writeFileSync(caCertFile, `${cert}\n${trusted}`);
  writeFileSync(caKeyFile, key);
  return cert;
}

const source = () =>
  createCertificateSource({ caCertFile, caKeyFile, serverName: DOMAIN, validityDays: 90, nowMs: () => nowMs });
const issue = (model = 'm', existing = {}) => source()(model, existing);
/** Returns the first certificate of the CA file. */
const readCa = () => new X509Certificate(readFileSync(caCertFile, 'utf8'));
const certificateIn = (values: Readonly<Record<string, string>>) => new X509Certificate(values['tls.crt'] ?? '');

test('the certificate of a model is valid for that model and not for other models', async () => {
  const values = await issue('kikuyu');
  const certificate = certificateIn(values);
  expect(certificate.checkHost(`kikuyu.${DOMAIN}`)).toBeDefined();
  expect(certificate.checkHost(`dholuo.${DOMAIN}`)).toBeUndefined();
  // Gateways of the previous version check this name.
  expect(certificate.checkHost(DOMAIN)).toBeDefined();
  expect(certificate.ca).toBe(false);
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate.verify(readCa().publicKey)).toBe(true);
  expect(certificate.validToDate).toEqual(new Date(START_MS + 90 * DAY_MS));
});

test('the certificate of a model with the longest possible name contains that name', async () => {
  const model = 'm'.repeat(63);
  expect(certificateIn(await issue(model)).checkHost(`${model}.${DOMAIN}`)).toBeDefined();
});

test('a certificate is kept for two thirds of its validity and then renewed', async () => {
  const first = await issue();
  nowMs += 59 * DAY_MS;
  expect(await issue('m', first)).toEqual(first);
  nowMs += 2 * DAY_MS;
  const renewed = await issue('m', first);
  expect(renewed['tls.key']).not.toBe(first['tls.key']);
  expect(certificateIn(renewed).validToDate.getTime()).toBe(nowMs + 90 * DAY_MS);
});

test('a certificate does not outlast its CA, and is not renewed if the renewal would not extend its validity', async () => {
  const endMs = readCa().validToDate.getTime();
  nowMs = endMs - 30 * DAY_MS;
  const last = await issue();
  expect(certificateIn(last).validToDate.getTime()).toBe(endMs);
  nowMs = endMs - DAY_MS;
  expect(await issue('m', last)).toEqual(last);
  nowMs = endMs;
  await expect(issue('m', last)).rejects.toThrow(/the CA of the workers in .* expired at .*: renew it/);
});

test('a certificate is replaced if it was signed by another CA, or if its key or its name does not match', async () => {
  const first = await issue();
  const other = await issue('other');
  expect(await issue('m', other)).not.toEqual(other);
  expect(await issue('m', { ...first, 'tls.key': other['tls.key'] })).not.toMatchObject({
    'tls.crt': first['tls.crt'],
  });
  expect(certificateIn(await issue('m', { ...first, 'tls.crt': 'x' })).verify(readCa().publicKey)).toBe(true);
  await replaceCa();
  const replaced = await issue('m', first);
  expect(replaced['tls.crt']).not.toBe(first['tls.crt']);
});

test('if a CA file has several certificates, the first of them signs the certificates of models', async () => {
  const before = await issue();
  const cert = await replaceCa(readFileSync(caCertFile, 'utf8'));
  const values = await issue('m', before);
  expect(certificateIn(values).verify(new X509Certificate(cert).publicKey)).toBe(true);
});

test('createCertificateSource rejects a CA file without a certificate with an error that names the file', async () => {
  writeFileSync(caCertFile, '');
  await expect(issue()).rejects.toThrow(`the file ${caCertFile} has no certificate`);
});

test('createCertificateSource rejects a key that does not belong to the first certificate of the CA file', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(caKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await expect(issue()).rejects.toThrow(`the key in ${caKeyFile} does not belong to the first certificate`);
});

test('createCertificateSource rejects a CA file that contains the certificate of a worker', async () => {
  const values = await issue();
  writeFileSync(caCertFile, values['tls.crt'] ?? '');
  writeFileSync(caKeyFile, values['tls.key'] ?? '');
  await expect(issue()).rejects.toThrow(`the first certificate in ${caCertFile} is not that of a CA`);
});
