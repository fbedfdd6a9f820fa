import { SvcAsrUnreachable } from '@svc-asr/client';
import { bounded, exchange, initOf, parseAnswer, refusalOf } from '@svc-asr/client/internal';
import type { ExchangeRequest } from '@svc-asr/client/internal';
import type { Endpoint } from './endpoint.ts';
import { UsageError } from './exit.ts';
import { createNodeFetch } from './node-fetch.ts';

/** Note for a change whose response has `applied: false`. */
export const NOT_APPLIED = 'The change is stored but not applied yet. Check that the operator is running.';

export interface AdminApi {
  /** Sends one request. `path` is relative to /admin/v1. */
  call: (method: string, path: string, options?: AdminCall) => Promise<object>;
  /** Returns the body of a response as a stream. Iterating over it throws if the response ends early. */
  stream: (path: string) => Promise<AsyncIterable<Buffer>>;
}

export interface AdminCall {
  body?: object;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/**
 * Timeout of a request. The service responds to a write when the change is applied, and may wait up to a minute for
 * that.
 */
const CALL_TIMEOUT_MS = 70_000;

/** Creates a client for the admin API of the console. */
export function createAdminApi({ url, secret, caFile }: Endpoint): AdminApi {
  if (secret === undefined) {
    throw new UsageError(
      `No admin token is configured for ${url}. Set SVC_ASR_ADMIN_TOKEN. The command accepts no secrets as arguments.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new UsageError('SVC_ASR_ADMIN_TOKEN contains invalid characters.');
  const fetch = createNodeFetch(caFile);
  const requestOf = (
    method: string,
    path: string,
    headers: Record<string, string>,
    timeoutMs = CALL_TIMEOUT_MS,
  ): ExchangeRequest => ({
    method,
    url: `${url}/admin/v1${path}`,
    headers: { authorization: `Bearer ${secret}`, ...headers },
    timeoutMs,
  });
  return {
    call: async (method, path, { body, headers = {}, timeoutMs } = {}) => {
      const request = requestOf(method, path, headers, timeoutMs);
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
      // The timeout covers only the start of the response. The duration of an export depends on its reader.
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
    throw new SvcAsrUnreachable(`the response of ${url} ended early: ${reason}`, { cause: error });
  }
}
