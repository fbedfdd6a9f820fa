import { request as requestHttp } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { RELAY_CONNECTION_PATH, RELAY_UPGRADE } from '@svc-asr/core';

export interface UpgradeOptions extends Pick<RequestOptions, 'ca' | 'rejectUnauthorized'> {
  readonly path?: string;
  /** Additional headers. The headers that the upgrade needs are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Requests the upgrade to the frame protocol, as a gateway does. If the worker refuses the upgrade, rejects with an
 * error that contains the HTTP status.
 */
export async function upgrade(
  address: string,
  { path = RELAY_CONNECTION_PATH, headers: further = {}, ...tls }: UpgradeOptions = {},
): Promise<{ socket: Duplex; head: Buffer; headers: IncomingHttpHeaders }> {
  const url = new URL(path, address.replace(/^ws/, 'http'));
  const headers = { connection: 'Upgrade', upgrade: RELAY_UPGRADE, ...further };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { agent: false, headers, ...tls });
  request.end();
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', ({ statusCode }) => reject(new Error(`the worker answered ${statusCode}`)));
    request.on('upgrade', ({ headers }, socket, head) => resolve({ socket, head, headers }));
  });
}
