import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { KubernetesError } from './kubernetes-error.ts';
import type { Access, AccessKeeper, TlsOptions } from './access.ts';
import type { Answer } from './answer.ts';

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  path: string;
  body?: { type: string; text: string };
  /** Ends the request, and what is still being read of its answer. */
  signal: AbortSignal;
}

/** Connections to the API server. */
export interface Transport {
  /** Sends one request; resolves with the head of the answer, whatever its status. */
  open: (request: TransportRequest) => Promise<IncomingMessage>;
  close: () => void;
}

export interface TransportOptions {
  access: AccessKeeper;
  /** Who asks, as the API server's log shows it. */
  client: string;
  /** Connections at the same time; more requests wait for one of them. Absent: as many as there are requests. */
  maxSockets?: number;
}

const SYSTEM = `(${process.platform}/${process.arch}) node/${process.versions.node}`;
/** Half-open connections are found by the system's probes too; this is when they begin. */
const KEEP_ALIVE_MS = 30_000;

/** Makes connections that are kept for the next request. */
export function createTransport({ access, client, maxSockets = Infinity }: TransportOptions): Transport {
  let agent: { tls: TlsOptions; of: HttpAgent } | undefined;

  const agentOf = ({ tls, server, proxy }: Access) => {
    if (proxy !== undefined) return proxy;
    // Certificates that rotated need new connections; those under way end by themselves.
    if (agent?.tls !== tls) {
      // A burst must not open connections anew that it has just closed.
      const maxFreeSockets = Number.isFinite(maxSockets) ? maxSockets : 1;
      const options = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets, maxFreeSockets };
      const of = server.protocol === 'http:' ? new HttpAgent(options) : new HttpsAgent({ ...options, ...tls });
      agent = { tls, of };
    }
    return agent.of;
  };

  return {
    open: async ({ method, path, body, signal }) => {
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
          Accept: 'application/json',
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

/** Reads an answer to its end. */
export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode = 0, headers } = response;
  return { status: statusCode, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString('utf8') };
}

/** What went wrong on the way, as an error without a status; `what` names the request. */
export function buildWayError(what: string, error: unknown): KubernetesError {
  if (error instanceof KubernetesError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const reason = typeof code === 'string' ? code : 'Unreachable';
  const words = typeof message === 'string' ? message : String(error);
  return new KubernetesError(0, reason, `${what}: no answer of the API server: ${words}`, { cause: error });
}
