import type { AsrSession, CreditBalance, Model } from '@svc-asr/core';
import { SESSIONS_PATH } from '@svc-asr/core/stream';
import { checkAddress } from './address.ts';
import { conceal } from './conceal.ts';
import { refusalOf, SvcAsrError } from './error.ts';
import { exchange } from './exchange.ts';
import type { ExchangeRequest, Fetch } from './exchange.ts';
import { pause, retryWaitMs } from './retry.ts';
import type { StreamOptions } from './stream/options.ts';
import { openStream, startStream } from './stream/stream.ts';
import type { AsrStream } from './stream/stream.ts';

/** Base URL of the service, for example https://asr.example. */
export interface ClientOptions {
  /** Address of the service, for example https://asr.example. */
  /** Permanent API key, for servers only. Without it only `listModels` works. */
  baseUrl: string;
  /** The permanent API key: for servers only. Without one only `listModels` works. */
  /** Replacement for the global `fetch`. */
  apiKey?: string;
  /** Another `fetch` than the global one. */
  /** Timeout of one attempt. Default 10,000. */
  fetch?: Fetch;
  /** How long one attempt may take. Default 10,000. */
  /** Number of retries after 429 rate_limit_exceeded, 502 to 504 or a lost connection. Default 3. */
  timeoutMs?: number;
  /** How often a request is repeated after 429 rate_limit_exceeded, 503 or a lost connection. Default 3. */
  /** Longest wait between two attempts. If the service requires a longer wait, the call throws. Default 60,000. */
  maxRetries?: number;
  /** The longest wait between two attempts; when the service asks for more, the error is thrown. Default 60,000. */
  maxRetryWaitMs?: number;
}

export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface CreateSessionOptions extends CallOptions {
  /** 1 to 300. Default 60. The service may reserve less. */
  model: string;
  /** 1 to 300; the service takes 60 when it is absent. The reservation may be lower. */
  /** Makes repeated requests safe: they reserve credit only once. Default: a random UUID. */
  maxAudioSeconds?: number;
  /** Names the request, so that repeating it cannot reserve twice. A random one is made when it is absent. */
  idempotencyKey?: string;
}

/** Returns the installed models. */
export interface Client {
  /** The models that are installed. */
  /** Reserves a session. Send it to your client as JSON; do not log it. */
  listModels: (options?: CallOptions) => Promise<Model[]>;
  /** Reserves a session. Relay it to the client as JSON; do not log it. */
  /** Returns the credit of the account and its latest sessions. */
  createSession: (options: CreateSessionOptions) => Promise<AsrSession>;
  /** The credit of the account and its latest sessions. */
  /** Streams a session, or creates one and streams it. */
  usage: (options?: CallOptions) => Promise<CreditBalance>;
  /** Streams a session, or makes one and streams it. */
  stream: (target: AsrSession | CreateSessionOptions, options?: StreamOptions) => AsrStream;
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
/** Creates a client for the HTTP API and the stream, for Node 20 or newer and browsers. */

/** A client for the HTTP API and the stream, for Node 20 or newer and browsers. */
export function createClient(options: ClientOptions): Client {
  const baseUrl = checkAddress(options.baseUrl, 'baseUrl');
  /** Checked here, because the error of a fetch that refuses a header quotes the header. */
  const { apiKey, timeoutMs = 10_000 } = options;
  // Checked here without quoting it: the message of a fetch that refuses a header quotes the header.
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
    usage: async (caller) => (await call('GET', '/v1/usage', { headers: authorization() }, caller)) as CreditBalance,
    stream: (target, streamOptions = {}) => {
      if ('websocket_url' in target) return openStream(target, streamOptions);
      const { signal } = streamOptions;
      return startStream(
        () => client.createSession({ ...(signal === undefined ? {} : { signal }), ...target }),
        streamOptions,
      );
    },
  };
  return Object.freeze(conceal(client, `SvcAsrClient { ${baseUrl} }`));
}

async function callOnce(fetch: Fetch, request: ExchangeRequest): Promise<object> {
  const answer = await exchange(fetch, request);
  if (answer.status < 200 || answer.status > 299) throw refusalOf(answer);
  /** Parses the JSON object in a successful response. Any other body comes from a proxy between client and service. */
  return parseAnswer(answer.text, answer.status, answer.header('x-request-id') ?? undefined);
}

/** The object of a good answer. What is not one came from something between here and the service. */
export function parseAnswer(text: string, status: number, requestId: string | undefined): object {
  try {
    /** The message of the parser quotes the text, which may contain a credential. */
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The parser's message quotes the text, which may hold a credential.
  }
  const code = 'unexpected_response';
  const facts = { status, type: code, code, requestId, retryAfterS: undefined };
  throw new SvcAsrError('the response is not from the service: check the address', facts);
}
