import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { KubernetesError } from './kubernetes-error.ts';
import type { Access, AccessKeeper, TlsOptions } from './access.ts';
import type { Answer } from './answer.ts';

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query of the request. */
  path: string;
  /** Value of the Accept header. */
  accept: string;
  body?: { type: string; text: string };
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal;
}

/** Connections to the API server. */
export interface Transport {
  /** Sends one request. Resolves when the head of the response has arrived, whatever its status is. */
  open: (request: TransportRequest) => Promise<IncomingMessage>;
  close: () => void;
}

export interface TransportOptions {
  access: AccessKeeper;
  /** User agent, which the API server logs. */
  client: string;
  /** Maximum number of connections. Further requests wait. Unlimited if omitted. */
  maxSockets?: number;
}

const SYSTEM = `(${process.platform}/${process.arch}) node/${process.versions.node}`;
/** Idle time after which TCP keep-alive probes are sent. They detect half-open connections. */
const KEEP_ALIVE_MS = 30_000;

/** Creates a transport that reuses connections. */
export function createTransport({ access, client, maxSockets = Infinity }: TransportOptions): Transport {
  let agent: { tls: TlsOptions; of: HttpAgent } | undefined;

  const agentOf = ({ tls, server, proxy }: Access) => {
    if (proxy !== undefined) return proxy;
    // Rotated certificates need new connections. Requests in progress finish on the old connections.
    if (agent?.tls !== tls) {
      // Connections are kept after a burst of requests, so that the next burst need not open them again.
      const maxFreeSockets = Number.isFinite(maxSockets) ? maxSockets : 1;
      const options = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets, maxFreeSockets };
      const of = server.protocol === 'http:' ? new HttpAgent(options) : new HttpsAgent({ ...options, ...tls });
      agent = { tls, of };
    }
    return agent.of;
  };

  return {
    open: async ({ method, path, accept, body, signal }) => {
      const now = await access.current();
      signal.throwIfAborted();
      const { server, headers } = now;
      const request = (server.protocol === 'http:' ? requestHttp : requestHttps)({
        host: server.hostname.replace(/^\[|\]$/g, ''),
        port: server.port,
        path: `${server.pathname.replace(/\/$/, '')}${path}`,
        method,
        headers: {
          ...headers,
          Accept: accept,
          'User-Agent': `${client} ${SYSTEM}`,
          ...(body && { 'Content-Type': body.type, 'Content-Length': Buffer.byteLength(body.text) }),
        },
        agent: agentOf(now),
        signal,
      });
      return new Promise((resolve, reject) => {
        request.once('response', resolve);
        request.on('error', reject);
        request.end(body?.text);
      });
    },
    close: () => agent?.of.destroy(),
  };
}

/** Reads a response to its end. */
export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode = 0, headers } = response;
  return { status: statusCode, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString('utf8') };
}

/** Builds an error with status 0 for a network failure. `what` describes the request. */
export function buildNetworkError(what: string, error: unknown): KubernetesError {
  if (error instanceof KubernetesError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const reason = typeof code === 'string' ? code : 'Unreachable';
  const detail = typeof message === 'string' ? message : String(error);
  return new KubernetesError(0, reason, `${what}: no response of the API server: ${detail}`, { cause: error });
}
