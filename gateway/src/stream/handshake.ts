import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, Owner } from '@svc-asr/ledger';
import type { Keyring } from '@svc-asr/runtime';
import { credentialHash, credentialTenant } from '../sessions/credential.ts';

const PATH = /^\/v1\/asr\/sessions\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/stream$/;
const CONNECT_TRIES = 2;

export interface HandshakeParts {
  ledger: Ledger;
  secrets: Keyring;
  /** undefined: this gateway holds no lease now. */
  owner: () => Owner | undefined;
  /** Why no stream can be taken now. */
  refusal: () => string | undefined;
}

export interface Handshake {
  sessionId: string;
  tenant: string;
  model: string;
  reservedMs: number;
  owner: Owner;
}

/** What a request for a stream offers, before anything is looked up. */
export function readOffer(request: IncomingMessage): { sessionId: string; credential: string } {
  const sessionId = PATH.exec((request.url ?? '').split('?')[0] ?? '')?.[1];
  if (sessionId === undefined) throw new ApiError('not_found');
  const { 'sec-websocket-key': key, 'sec-websocket-version': version, upgrade } = request.headers;
  // Checked here because a credential must not be consumed by a request that cannot become a WebSocket.
  const sound = request.method === 'GET' && upgrade?.toLowerCase() === 'websocket' && version === '13';
  if (!sound || !/^[+/0-9A-Za-z]{22}==$/.test(String(key))) {
    throw new ApiError('invalid_parameters', { message: 'This is not a WebSocket handshake (RFC 6455, version 13).' });
  }
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const [first, credential = ''] = offered;
  if (offered.length !== 2 || first !== STREAM_SUBPROTOCOL || !credential.startsWith(SESSION_CREDENTIAL_PREFIX)) {
    const message = 'Offer both values of websocket_protocols as subprotocols, in the returned order.';
    throw new ApiError('invalid_session_credential', { message });
  }
  return { sessionId, credential };
}

/** Consumes the credential of an offer. Of any number of handshakes with one credential, one comes through. */
export async function accept(
  { ledger, secrets, owner: currentOwner, refusal }: HandshakeParts,
  { sessionId, credential }: { sessionId: string; credential: string },
): Promise<Handshake> {
  const reason = refusal();
  const owner = currentOwner();
  if (reason !== undefined || owner === undefined) {
    throw new ApiError('service_unavailable', { message: reason ?? 'This gateway is starting.' });
  }
  const tenant = credentialTenant(secrets, credential, sessionId);
  if (tenant === undefined) throw new ApiError('invalid_session_credential');
  const stream = { tenant, sessionId };
  const ask = { ...stream, credentialHash: credentialHash(credential), owner, connectionId: randomUUID() };
  await ledger.gateways.own(owner, stream);
  for (let tries = 1; ; tries++) {
    try {
      const connected = await ledger.sessions.connect(ask);
      if (connected.outcome === 'ok') return { ...stream, ...connected, owner };
      await ledger.gateways.disown(owner, stream);
      throw new ApiError(connected.outcome === 'inactive' ? 'account_inactive' : 'invalid_session_credential');
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || tries === CONNECT_TRIES) throw error;
    }
  }
}

/** Refuses a handshake with the same body as any other error. */
export function refuse(socket: Duplex, error: unknown): string {
  const answer = error instanceof ApiError ? error : new ApiError('service_unavailable');
  const requestId = randomUUID();
  const body = JSON.stringify(answer.body(requestId));
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...(answer.retryAfterS === undefined ? {} : { 'Retry-After': String(answer.retryAfterS) }),
    ...answer.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${answer.status} ${answer.code}\r\n${lines.join('')}\r\n${body}`);
  return answer.code;
}
