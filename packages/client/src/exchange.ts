import { SvcAsrUnreachable } from './error.ts';
import type { Answer } from './error.ts';
import { describeUnknownCa } from './unknown-ca.ts';

/** The part of `fetch` that the client uses, so that you can pass your own. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** A redirect would send the key to another address, so it is an error. */
  redirect: 'error';
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get: (name: string) => string | null };
  text: () => Promise<string>;
}

export interface ExchangeRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Sends one request and reads the whole response. Throws the reason of an aborted signal, else SvcAsrUnreachable. */
export async function exchange(fetch: Fetch, request: ExchangeRequest): Promise<Answer> {
  return await bounded(request, async (signal) => {
    const response = await fetch(request.url, initOf(request, signal));
    const text = await response.text();
    return { status: response.status, header: (name) => response.headers.get(name), text };
  });
}

/** Builds the argument of `fetch` for a request. */
export function initOf({ method, headers, body }: ExchangeRequest, signal: AbortSignal): FetchInit {
  return { method, headers, signal, redirect: 'error', ...(body === undefined ? {} : { body }) };
}

/** Runs `task` with a timeout and the signal of the caller. If it fails, the error describes the cause. */
export async function bounded<T>(
  { url, timeoutMs, signal }: Pick<ExchangeRequest, 'url' | 'timeoutMs' | 'signal'>,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const either = new AbortController();
  const onAbort = () => either.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => either.abort(), timeoutMs);
  try {
    return await task(either.signal);
  } catch (error) {
    signal?.throwIfAborted();
    const reason = either.signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
    throw new SvcAsrUnreachable(`could not reach ${new URL(url).origin}: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Returns the cause of a failed fetch. The message of the error itself is only "fetch failed". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const { code } = error as { code?: unknown };
  const unknownCa = describeUnknownCa(error);
  if (unknownCa !== undefined) return unknownCa;
  if (error.message !== '') return error.message;
  return typeof code === 'string' ? code : error.name;
}
