import { request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { RELAY_CONNECTION_PATH, RELAY_UPGRADE } from '@svc-asr/core';
import type { WorkerTls } from './worker-trust.ts';

export interface UpgradeOptions {
  readonly address: string;
  readonly tls: WorkerTls;
  /** Longest time for connecting. */
  readonly timeoutMs: number;
  /** Headers of the request in addition to those of the upgrade. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onUpgrade: (socket: Duplex, head: Buffer, headers: IncomingHttpHeaders) => void;
  /** Called if the worker answers with another status than 101. */
  readonly onRefused: (status: number) => void;
  /** Called if the connection failed. */
  readonly onError: (failure: UpgradeFailure) => void;
}

export interface UpgradeFailure {
  readonly message: string;
  /** Code of the system error. */
  readonly code: string | undefined;
  /** True if TLS refused the certificate of the worker. */
  readonly isWrongWorker: boolean;
}

/** Requests a connection for frames from a worker. Calls one of the events once. */
export function requestUpgrade(options: UpgradeOptions): ClientRequest {
  const url = new URL(RELAY_CONNECTION_PATH, options.address.replace(/^ws/, 'http'));
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    ...options.tls,
    agent: false,
    headers: { connection: 'Upgrade', upgrade: RELAY_UPGRADE, ...options.headers },
    timeout: options.timeoutMs,
  });
  request.on('upgrade', ({ headers }, socket, head) => options.onUpgrade(socket, head, headers));
  request.on('response', ({ statusCode = 0 }) => {
    request.destroy();
    options.onRefused(statusCode);
  });
  request.on('timeout', () => request.destroy(new Error('the worker did not answer in time')));
  request.on('error', ({ message, code }: NodeJS.ErrnoException) => {
    options.onError({ message, code, isWrongWorker: isCertificateRefused(request) });
  });
  request.end();
  return request;
}

/**
 * Returns whether TLS refused the certificate of the worker. An error of `checkServerIdentity` is only one of the
 * reasons. TLS does not call it for a certificate from an unknown CA.
 */
function isCertificateRefused({ socket }: ClientRequest): boolean {
  // Null unless the verification failed, although its type says otherwise.
  return socket instanceof TLSSocket && (socket.authorizationError as unknown) !== null;
}
