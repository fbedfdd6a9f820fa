import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface RequestOptions {
  method?: string;
  token?: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** PEM of the CA that signed the certificate of the server. */
  ca?: string;
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  body: string;
}

/** Sends one HTTP or HTTPS request. */
export async function request(url: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', token, body, ca, timeoutMs = 10_000 } = options;
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers: Record<string, string> = { ...options.headers };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers, agent: false, timeout: timeoutMs, ...(ca && { ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${new URL(url).host} did not answer in time`)));
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
