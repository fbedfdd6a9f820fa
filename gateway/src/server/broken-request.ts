import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';

const ANSWERS: Readonly<Record<string, [status: number, phrase: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive.'],
};
const MALFORMED: [number, string, string] = [400, 'Bad Request', 'The request is not valid HTTP.'];
/** Maximum time for a client to read the response and close the connection. */
const LINGER_MS = 1000;

/** Response to a request that is incomplete or not valid HTTP. Node reports such a request without a request object. */
export interface BrokenAnswer {
  readonly requestId: string;
  readonly status: number;
  readonly code: string;
}

const unloggedAnswers = new WeakMap<Duplex, BrokenAnswer>();

/**
 * Returns the response to a broken request on this socket. Only the first call returns it, so that the request is
 * logged and counted once. If the request had reached a route before it broke, `observe` makes that call.
 */
export function takeBrokenAnswer(socket: Duplex): BrokenAnswer | undefined {
  const answer = unloggedAnswers.get(socket);
  unloggedAnswers.delete(socket);
  return answer;
}

/** Creates a handler that answers invalid and incomplete requests in the same format as every other error. */
export function answerBrokenRequests(logger: Logger, metrics: Pick<GatewayMetrics, 'requests' | 'connectionsRefused'>) {
  return (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') {
      metrics.connectionsRefused.add(1, { reason: 'handshake_timeout' });
      socket.destroy();
      return;
    }
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, phrase, message] = ANSWERS[error.code ?? ''] ?? MALFORMED;
    const refusal = new ApiError('invalid_parameters', { message });
    const { code } = refusal;
    const requestId = randomUUID();
    const body = JSON.stringify(refusal.body(requestId));
    unloggedAnswers.set(socket, { requestId, status, code });
    // Without this timer, a client that never closes its side would keep the connection open and delay a shutdown.
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      clearTimeout(linger);
      // If the request had reached a route, `observe` has already taken and logged the response.
      if (takeBrokenAnswer(socket) === undefined) return;
      metrics.requests.add(1, { route: 'none', method: '', status, code });
      logger.info({ request_id: requestId, route: 'none', status, code, reason: message }, 'request');
    });
    socket.end(
      `HTTP/1.1 ${status} ${phrase}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}
