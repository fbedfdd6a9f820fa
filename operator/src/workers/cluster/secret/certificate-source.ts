import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { workerServerName } from '@svc-asr/core';
import { issueServerCertificate, readIssuedCertificate } from './certificate.ts';
import type { KeyPairPem } from './certificate.ts';
import type { SecretSource } from './model-secret.ts';

export interface CertificateSourceOptions {
  /** PEM file that starts with the CA certificate. Gateways also trust any further certificates in the file. */
  caCertFile: string;
  /** PEM file of the private key of the CA. */
  caKeyFile: string;
  /** DNS name of the workers. The name of a model's workers is a subdomain of it. */
  serverName: string;
  validityDays: number;
  /** Returns the wall-clock time. */
  nowMs: () => number;
}

const DAY_MS = 86_400_000;
/** Certificates start in the past, because the clocks of nodes may differ. */
const CLOCK_SKEW_MS = 3_600_000;
/** Share of the validity after which a certificate is renewed. */
const RENEW_AFTER = 2 / 3;

/**
 * Creates the source of `tls.crt` and `tls.key`: a certificate that identifies the workers of one model. It is renewed
 * after two thirds of its validity, and replaced if another CA has signed it. The files of the CA are read each time,
 * because they change when the CA is renewed.
 */
export function createCertificateSource(options: CertificateSourceOptions): SecretSource {
  return async (model, existing) => {
    const ca = readCa(options);
    const nowMs = options.nowMs();
    const notAfter = chooseEnd(ca, options, nowMs);
    const { serverName } = options;
    // Gateways of the previous version check only the name that all workers share.
    const dnsNames = [workerServerName(model, serverName), serverName];
    const current = { cert: existing['tls.crt'] ?? '', key: existing['tls.key'] ?? '' };
    const found = readIssuedCertificate(current, ca, dnsNames);
    const isKept = found !== undefined && !(isDue(found, nowMs) && notAfter > found.validToDate);
    const { cert, key } = isKept
      ? current
      : await issueServerCertificate(ca, {
          commonName: model,
          dnsNames,
          notBefore: new Date(nowMs - CLOCK_SKEW_MS),
          notAfter,
        });
    return { 'tls.crt': cert, 'tls.key': key };
  };
}

function readCa({ caCertFile, caKeyFile }: CertificateSourceOptions): KeyPairPem {
  const [cert] =
    /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?/s.exec(readFileSync(caCertFile, 'utf8')) ?? [];
  if (cert === undefined) throw new Error(`the file ${caCertFile} has no certificate: it must have that of the CA`);
  const key = readFileSync(caKeyFile, 'utf8');
  const certificate = new X509Certificate(cert);
  if (!certificate.ca) throw new Error(`the first certificate in ${caCertFile} is not that of a CA`);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`the key in ${caKeyFile} does not belong to the first certificate in ${caCertFile}`);
  }
  return { cert, key };
}

/**
 * Returns the time at which a new certificate expires. A certificate does not outlast its CA. Throws if the CA has
 * expired.
 */
function chooseEnd(ca: KeyPairPem, { caCertFile, validityDays }: CertificateSourceOptions, nowMs: number): Date {
  const { validToDate } = new X509Certificate(ca.cert);
  if (validToDate.getTime() <= nowMs) {
    throw new Error(`the CA of the workers in ${caCertFile} expired at ${validToDate.toISOString()}: renew it`);
  }
  return new Date(Math.min(nowMs + validityDays * DAY_MS, validToDate.getTime()));
}

function isDue({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  const fromMs = validFromDate.getTime();
  return nowMs >= fromMs + (validToDate.getTime() - fromMs) * RENEW_AFTER;
}
