import type { AsrSession, CreditBalance, Model, SessionDetail } from '@svc-asr/core';
import { sessionPath, SESSIONS_PATH } from '@svc-asr/core/stream';
import { checkAddress } from './address.ts';
import { conceal } from './conceal.ts';
import { refusalOf, SvcAsrError } from './error.ts';
import { exchange } from './exchange.ts';
import type { ExchangeRequest, Fetch } from './exchange.ts';
import { openLongStream } from './long/long-stream.ts';
import type { LongStreamOptions } from './long/long-stream.ts';
import { pause, retryWaitMs } from './retry.ts';
import type { StreamOptions } from './stream/options.ts';
import { openStream, startStream } from './stream/stream.ts';
import type { AsrStream } from './stream/stream.ts';

export interface ClientOptions {
  /** Base URL of the service, for example https://asr.example. */
  baseUrl: string;
  /**
   * Permanent API key, for servers only. Without a key, you can only call `listModels`, and `stream` with an existing
   * session.
   */
  apiKey?: string;
  /** Replacement for the global `fetch`. */
  fetch?: Fetch;
  /** Timeout of one attempt. Default 10,000. */
  timeoutMs?: number;
  /** Number of retries after 429 rate_limit_exceeded, 502 to 504, a timeout or a lost connection. Default 3. */
  maxRetries?: number;
  /** Longest wait between two attempts. If the service requires a longer wait, the call throws. Default 60,000. */
  maxRetryWaitMs?: number;
  /** Called before each wait for a retry. */
  onRetry?: (retry: { error: Error; waitMs: number }) => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface CreateSessionOptions extends CallOptions {
  model: string;
  /** Maximum audio of the session in seconds, from 1 to 300. Default 60. The service may reserve less. */
  maxAudioSeconds?: number;
  /** Key with which repeated requests reserve credit only once. Default: a random UUID. */
  idempotencyKey?: string;
}

export interface LongStreamTarget extends CallOptions {
  model: string;
}

export interface Client {
  /** Returns the installed models. */
  listModels: (options?: CallOptions) => Promise<Model[]>;
  /** Reserves a session. Send it to your client as JSON. Do not log it, because it contains a secret. */
  createSession: (options: CreateSessionOptions) => Promise<AsrSession>;
  /** Returns a session of the account and how it ended. */
  getSession: (id: string, options?: CallOptions) => Promise<SessionDetail>;
  /** Cancels a session. A reserved session releases its credit at once. The stream of an active session is closed. */
  cancelSession: (id: string, options?: CallOptions) => Promise<void>;
  /** Returns the credit of the account and its latest sessions. */
  usage: (options?: CallOptions) => Promise<CreditBalance>;
  /** Streams a session, or creates one and streams it. */
  stream: (target: AsrSession | CreateSessionOptions, options?: StreamOptions) => AsrStream;
  /** Streams audio of any length. Creates a session whenever one is necessary. */
  longStream: (target: LongStreamTarget, options?: LongStreamOptions) => AsrStream;
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;

/** Creates a client for the HTTP API and the stream, for Node 20 or newer and browsers. */
export function createClient(options: ClientOptions): Client {
  const baseUrl = checkAddress(options.baseUrl, 'baseUrl');
  const { apiKey, timeoutMs = 10_000 } = options;
  // Checked here, because the error of a fetch that refuses a header quotes the header and would reveal the key.
  if (apiKey !== undefined && !/^[\x21-\x7e]*$/.test(apiKey)) throw new TypeError('apiKey contains invalid characters');
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const policy = { maxRetries: options.maxRetries ?? 3, maxWaitMs: options.maxRetryWaitMs ?? 60_000 };

  async function call(method: string, path: string, extra: Partial<ExchangeRequest>, caller: CallOptions = {}) {
    const request: ExchangeRequest = {
      method,
      url: `${baseUrl}${path}`,
      headers: {},
      ...extra,
      timeoutMs: caller.timeoutMs ?? timeoutMs,
      signal: caller.signal,
    };
    for (let failures = 1; ; failures++) {
      try {
        return await callOnce(fetch, request);
      } catch (error) {
        const waitMs = retryWaitMs(error, failures, policy, Math.random());
        if (waitMs === undefined) throw error;
        options.onRetry?.({ error: error as Error, waitMs });
        await pause(waitMs, caller.signal);
      }
    }
  }

  function authorization(): Record<string, string> {
    if (apiKey === undefined || apiKey === '') throw new TypeError('this call requires an apiKey');
    return { authorization: `Bearer ${apiKey}` };
  }

  const client: Client = {
    listModels: async (caller) => {
      const { data } = (await call('GET', '/v1/models', {}, caller)) as { data: Model[] };
      return data;
    },
    createSession: async ({ model, maxAudioSeconds, idempotencyKey = crypto.randomUUID(), ...caller }) => {
      if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
        throw new TypeError('idempotencyKey must be 1 to 128 characters of A-Z, a-z, 0-9, ".", "_", ":" and "-"');
      }
      const headers = { ...authorization(), 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      const body = JSON.stringify({ model, max_audio_seconds: maxAudioSeconds });
      const session = (await call('POST', SESSIONS_PATH, { headers, body }, caller)) as AsrSession;
      return conceal(session, `AsrSession { ${session.id}, ${session.model}, until ${session.expires_at} }`);
    },
    getSession: async (id, caller) => {
      const path = sessionPath(encodeURIComponent(id));
      return (await call('GET', path, { headers: authorization() }, caller)) as SessionDetail;
    },
    cancelSession: async (id, caller) => {
      await call('DELETE', sessionPath(encodeURIComponent(id)), { headers: authorization() }, caller);
    },
    usage: async (caller) => (await call('GET', '/v1/usage', { headers: authorization() }, caller)) as CreditBalance,
    stream: (target, streamOptions = {}) => {
      if ('websocket_url' in target) return openStream(target, streamOptions);
      const { signal } = streamOptions;
      return startStream(
        () => client.createSession({ ...(signal === undefined ? {} : { signal }), ...target }),
        streamOptions,
      );
    },
    longStream: (target, longOptions = {}) => {
      const { signal } = longOptions;
      const base = { ...(signal === undefined ? {} : { signal }), ...target };
      return openLongStream(({ maxAudioSeconds }) => client.createSession({ ...base, maxAudioSeconds }), longOptions);
    },
  };
  return Object.freeze(conceal(client, `SvcAsrClient { ${baseUrl} }`));
}

async function callOnce(fetch: Fetch, request: ExchangeRequest): Promise<object> {
  const answer = await exchange(fetch, request);
  if (answer.status < 200 || answer.status > 299) throw refusalOf(answer);
  if (answer.status === 204) return {};
  return parseAnswer(answer.text, answer.status, answer.header('x-request-id') ?? undefined);
}

/** Parses the JSON object in a successful response. Any other body comes from a proxy between client and service. */
export function parseAnswer(text: string, status: number, requestId: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error of the parser is dropped, because it quotes the text, which may contain a credential.
  }
  const code = 'unexpected_response';
  const facts = { status, type: code, code, requestId, retryAfterS: undefined };
  throw new SvcAsrError('the response is not from the service: check the address', facts);
}
