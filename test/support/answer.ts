import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';

/** Response to an HTTP request. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed JSON of the body. Undefined if it is not JSON. */
  readonly body: unknown;
}

export interface Outgoing {
  headers?: Record<string, string | string[]>;
  /** Body to send. Values other than strings and bytes are sent as JSON. */
  body?: unknown;
  /** Sends the body in chunks without a Content-Length. */
  chunked?: boolean;
}

/** Sends one request over HTTP or HTTPS. */
export async function send(url: string, outgoing: Outgoing & Omit<RequestOptions, 'headers'> = {}): Promise<Answer> {
  const { headers = {}, body, chunked = false, ...options } = outgoing;
  const bytes = body === undefined ? undefined : bytesOf(body);
  const lengthHeader = bytes === undefined || chunked ? {} : { 'content-length': String(bytes.length) };
  const start = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(
      url,
      { timeout: 30_000, ...options, headers: { ...lengthHeader, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) });
        });
      },
    );
    request.on('timeout', () => request.destroy(new Error('no response within 30 s')));
    request.on('error', reject);
    request.end(bytes);
  });
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
