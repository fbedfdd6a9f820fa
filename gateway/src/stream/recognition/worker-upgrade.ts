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
  /** Timeout for connecting. */
  readonly timeoutMs: number;
  /** Headers in addition to those of the upgrade. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onUpgrade: (socket: Duplex, head: Buffer, headers: IncomingHttpHeaders) => void;
  /** Called if the worker responds with a status other than 101. */
  readonly onRefused: (status: number) => void;
  /** Called if the connection failed. */
  readonly onError: (failure: UpgradeFailure) => void;
}

export interface UpgradeFailure {
  readonly message: string;
  /** Code of the system error, such as ECONNREFUSED. */
  readonly code: string | undefined;
  /** True if TLS refused the certificate of the worker. */
  readonly isWrongWorker: boolean;
}

/** Asks a worker to open a connection that carries frames. Calls exactly one of the callbacks, once. */
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
 * Returns whether TLS refused the certificate of the worker. It is not enough to check for errors of
 * `checkServerIdentity`, because TLS does not call that function for a certificate of an unknown CA.
 */
function isCertificateRefused({ socket }: ClientRequest): boolean {
  // The value is null unless the verification failed, although its type does not include null.
  return socket instanceof TLSSocket && (socket.authorizationError as unknown) !== null;
}
