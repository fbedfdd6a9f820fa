import { SvcAsrUnreachable } from '@svc-asr/client';
import { bounded, exchange, initOf, parseAnswer, refusalOf } from '@svc-asr/client/internal';
import type { ExchangeRequest } from '@svc-asr/client/internal';
import type { Endpoint } from './endpoint.ts';
import { UsageError } from './exit.ts';
import { createNodeFetch } from './node-fetch.ts';

export interface AdminApi {
  /** One request, by its path below /admin/v1. */
  call: (method: string, path: string, options?: AdminCall) => Promise<object>;
  /** The body of an answer as it comes; iterating it throws when the answer breaks off before its end. */
  stream: (path: string) => Promise<AsyncIterable<Buffer>>;
}

export interface AdminCall {
  body?: object;
  headers?: Record<string, string>;
}

/** The answer to a write comes when the change is in force, which the service may be set to await for a minute. */
const CALL_TIMEOUT_MS = 70_000;
/** The admin API of the console. */
export function createAdminApi({ url, secret, caFile }: Endpoint): AdminApi {
  if (secret === undefined) {
    throw new UsageError(
      `No admin token is known for ${url}. Set SVC_ASR_ADMIN_TOKEN; it is never taken as an argument.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new UsageError('SVC_ASR_ADMIN_TOKEN has characters that no token has.');
  const fetch = createNodeFetch(caFile);
  const requestOf = (method: string, path: string, headers: Record<string, string>): ExchangeRequest => ({
    method,
    url: `${url}/admin/v1${path}`,
    headers: { authorization: `Bearer ${secret}`, ...headers },
    timeoutMs: CALL_TIMEOUT_MS,
  });
  return {
    call: async (method, path, { body, headers = {} } = {}) => {
      const request = requestOf(method, path, headers);
      if (body !== undefined) {
        request.body = JSON.stringify(body);
        request.headers['content-type'] = 'application/json';
      }
      const answer = await exchange(fetch, request);
      if (answer.status < 200 || answer.status > 299) throw refusalOf(answer);
      return parseAnswer(answer.text, answer.status, answer.header('x-request-id') ?? undefined);
    },
    stream: async (path) => {
      const request = requestOf('GET', path, {});
      // The time limit is for the beginning of the answer: an export takes as long as its reader does.
      const response = await bounded(request, (signal) => fetch(request.url, initOf(request, signal)));
      if (response.status === 200) return bodyOf(response.body, url);
      const text = await response.text();
      throw refusalOf({ status: response.status, header: (name) => response.headers.get(name), text });
    },
  };
}

async function* bodyOf(body: AsyncIterable<unknown>, url: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SvcAsrUnreachable(`the answer of ${url} broke off: ${reason}`, { cause: error });
  }
}
