import { STATUS_CODES } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { parseResumeNumber, RELAY_CONNECTION_PATH, RELAY_UPGRADE, RESUME_HEADERS } from '@svc-asr/core';

/** Upgrade request of a gateway, which starts a new connection or resumes a connection. */
export type UpgradeRequest =
  | { readonly kind: 'connect'; readonly canResume: boolean }
  /** `received` is the number of bytes that the gateway had received when the connection was lost. */
  | { readonly kind: 'resume'; readonly token: string; readonly received: number };

/** Values of the resume headers in the response to an upgrade request. */
export interface ResumeAnswer {
  readonly token?: string;
  readonly withinMs?: number;
  readonly received?: number;
}

/** Parses an upgrade request. Returns undefined if the request is invalid or not from a gateway. */
export function readUpgrade({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>): UpgradeRequest | undefined {
  if (url?.split('?')[0] !== RELAY_CONNECTION_PATH || headers.upgrade !== RELAY_UPGRADE) return undefined;
  const token = headers[RESUME_HEADERS.token];
  if (token === undefined) return { kind: 'connect', canResume: headers[RESUME_HEADERS.offer] === '1' };
  const received = parseResumeNumber(headers[RESUME_HEADERS.received]);
  return received === undefined ? undefined : { kind: 'resume', token: String(token), received };
}

/** Answers an upgrade request with the status 101 and the resume headers. */
export function acceptUpgrade(socket: Duplex, answer: ResumeAnswer): void {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${RELAY_UPGRADE}`];
  for (const name of ['token', 'withinMs', 'received'] as const) {
    const value = answer[name];
    if (value !== undefined) lines.push(`${RESUME_HEADERS[name]}: ${value}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
}

/** Refuses an upgrade request with this HTTP status. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
