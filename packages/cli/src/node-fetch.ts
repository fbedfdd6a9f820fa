import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { FetchInit, FetchResponse } from '@svc-asr/client';
import { UsageError } from './exit.ts';

export interface NodeResponse extends FetchResponse {
  readonly body: IncomingMessage;
}

export type NodeFetch = (url: string, init: FetchInit) => Promise<NodeResponse>;

/** Creates a fetch that trusts the CA in a file. The global fetch has no such option. */
export function createNodeFetch(caFile: string | undefined): NodeFetch {
  const ca = caFile === undefined ? undefined : readCa(caFile);
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...headers, ...length }, signal, agent: false };
      const request = url.startsWith('https:')
        ? requestHttps(url, { ...options, ...(ca === undefined ? {} : { ca }) })
        : requestHttp(url, options);
      request.once('error', reject);
      request.once('response', (response) => resolve(responseOf(response)));
      request.end(body);
    });
}

function responseOf(response: IncomingMessage): NodeResponse {
  return {
    status: response.statusCode ?? 0,
    headers: {
      get: (name) => {
        const value = response.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    text: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
    body: response,
  };
}

const CHECK_CA = 'Check --ca or SVC_ASR_CA_FILE.';

/** Reads a CA certificate. Throws if the file has none, because TLS would ignore the file and report an unknown CA. */
export function readCa(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot read the CA certificate ${file}: ${code ?? 'unknown error'}. ${CHECK_CA}`);
  }
  if (!isCertificate(pem))
    throw new UsageError(`the CA file ${file} contains no certificate in PEM format. ${CHECK_CA}`);
  return pem;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
