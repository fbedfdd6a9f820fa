import { Agent, request } from 'node:https';
import type { KeyPairPem } from '../start/certificates.ts';

/** An answer of the API server. */
export interface ApiAnswer {
  status: number;
  body: unknown;
}

/** Asks the API server. */
export type Api = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<ApiAnswer>;

const TIMEOUT_MS = 10_000;

/** Makes a client of an API server for the holder of a certificate. */
export function createApi(url: string, ca: string, { cert, key }: KeyPairPem): Api {
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = body === undefined ? {} : { 'content-type': type };
      const sent = request(`${url}${path}`, { method, agent, headers, timeout: TIMEOUT_MS }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: parse(text) }));
      });
      sent.on('timeout', () => sent.destroy(new Error(`the API server did not answer ${path} in time`)));
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** Health checks answer with plain text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
