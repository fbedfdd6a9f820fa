import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { KubernetesError } from './kubernetes-error.ts';
import type { Access, AccessKeeper, TlsOptions } from './access.ts';
import type { Answer } from './answer.ts';

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  path: string;
  /** Formats of the response that are accepted. */
  accept: string;
  body?: { type: string; text: string };
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal;
}

/** Connections to the API server. */
export interface Transport {
  /** Sends one request. Resolves with the head of the response, whatever its status. */
  open: (request: TransportRequest) => Promise<IncomingMessage>;
  close: () => void;
}

export interface TransportOptions {
  access: AccessKeeper;
  /** User agent in the log of the API server. */
  client: string;
  /** Maximum number of connections; more requests wait. Unlimited if absent. */
  maxSockets?: number;
}

const SYSTEM = `(${process.platform}/${process.arch}) node/${process.versions.node}`;
/** Idle time after which TCP keep-alive probes start. They detect half-open connections. */
const KEEP_ALIVE_MS = 30_000;

/** Creates connections that are reused. */
export function createTransport({ access, client, maxSockets = Infinity }: TransportOptions): Transport {
  let agent: { tls: TlsOptions; of: HttpAgent } | undefined;

  const agentOf = ({ tls, server, proxy }: Access) => {
    if (proxy !== undefined) return proxy;
    // Rotated certificates need new connections. Requests in progress finish on the old ones.
    if (agent?.tls !== tls) {
      // Keeps connections after a burst, so that the next burst need not open them again.
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

/** Builds an error without a status for a network failure. `what` names the request. */
export function buildNetworkError(what: string, error: unknown): KubernetesError {
  if (error instanceof KubernetesError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const reason = typeof code === 'string' ? code : 'Unreachable';
  const detail = typeof message === 'string' ? message : String(error);
  return new KubernetesError(0, reason, `${what}: no response of the API server: ${detail}`, { cause: error });
}
