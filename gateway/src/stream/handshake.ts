import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Connected, Ledger, Owner } from '@svc-asr/ledger';
import type { Keyring } from '@svc-asr/runtime';
import type { LedgerWatch } from '../ledger-id.ts';
import { credentialHash, credentialTenant } from '../sessions/credential.ts';
import type { Claims } from './claims.ts';
import type { Settlements } from './settlements.ts';

const PATH = /^\/v1\/asr\/sessions\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/stream$/;
const CONNECT_TRIES = 2;

export interface Offer {
  sessionId: string;
  credential: string;
}

export interface HandshakeParts {
  ledger: Ledger;
  settlements: Settlements;
  claims: Claims;
  secrets: Keyring;
  ledgerWatch: Pick<LedgerWatch, 'sure'>;
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
export function readOffer(request: IncomingMessage): Offer {
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
export async function accept(parts: HandshakeParts, { sessionId, credential }: Offer): Promise<Handshake> {
  const reason = parts.refusal();
  const owner = parts.owner();
  if (reason !== undefined || owner === undefined) {
    throw new ApiError('service_unavailable', { message: reason ?? 'This gateway is starting.' });
  }
  const tenant = credentialTenant(parts.secrets, credential, sessionId);
  if (tenant === undefined) throw new ApiError('invalid_session_credential');
  const stream = { tenant, sessionId };
  const { claims, ledger } = parts;
  claims.take(sessionId);
  const letGo = () => {
    // Not waited for: the note of a session that is not ours does no harm.
    if (claims.release(sessionId)) ledger.gateways.disown(owner, stream).catch(() => undefined);
  };
  const connectionId = randomUUID();
  let connected: Connected;
  try {
    await ledger.gateways.own(owner, stream);
    connected = await connect(parts, { ...stream, credentialHash: credentialHash(credential), owner, connectionId });
    // The lease was lost meanwhile: who failed the streams of this process does not come back for one more.
    if (connected.outcome === 'ok' && parts.owner() !== owner) throw new ApiError('service_unavailable');
  } catch (error) {
    // The client is refused, so its credential must work again. Until then the note stays: should this process end
    // before, others fail what it may have connected.
    void parts.settlements.takeBack(stream, connectionId).then(letGo);
    throw error;
  }
  if (connected.outcome === 'ok') return { ...stream, ...connected, owner };
  letGo();
  // An emptied Redis refuses every credential.
  await parts.ledgerWatch.sure();
  throw new ApiError(connected.outcome === 'inactive' ? 'account_inactive' : 'invalid_session_credential');
}

/** Asks again when the answer is lost. */
async function connect(
  { ledger }: HandshakeParts,
  attempt: Parameters<Ledger['sessions']['connect']>[0],
): Promise<Connected> {
  for (let tries = 1; ; tries++) {
    try {
      return await ledger.sessions.connect(attempt);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || tries === CONNECT_TRIES) throw error;
    }
  }
}

/** Refuses a handshake with the same body as any other error. */
export function refuse(socket: Duplex, error: unknown): { code: string; status: number } {
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
  // A client that does not close its side would keep the connection for ever.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${answer.status} ${answer.code}\r\n${lines.join('')}\r\n${body}`);
  return { code: answer.code, status: answer.status };
}
