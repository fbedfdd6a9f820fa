import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL, streamPath } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Connected, Ledger, Owner } from '@svc-asr/ledger';
import type { Keyring } from '@svc-asr/runtime';
import type { LedgerWatch } from '../../ledger-watch.ts';
import { credentialHash, credentialTenant } from '../../sessions/credential.ts';
import type { Claims } from './claims.ts';
import type { Settlements } from '../settlement/settlements.ts';

const PATH = new RegExp(`^${streamPath('([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})')}$`);
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
  ledgerWatch: Pick<LedgerWatch, 'verify'>;
  /** undefined: this gateway holds no lease now. */
  owner: () => Owner | undefined;
}

/** One connect of a session. */
interface Attempt {
  sessionId: string;
  tenant: string;
  owner: Owner;
  /** Of the handshake. The ledger knows the connection by it. */
  requestId: string;
}

export interface Handshake extends Attempt {
  model: string;
  reservedMs: number;
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
  const header = request.headers['sec-websocket-protocol'] ?? '';
  // trim() knows more spaces than HTTP does: ws would refuse, here too late, what has one of those.
  const offered = /^[\t -~]*$/.test(header) ? header.split(',').map((name) => name.trim()) : [];
  const [first, credential = ''] = offered;
  if (offered.length !== 2 || first !== STREAM_SUBPROTOCOL || !credential.startsWith(SESSION_CREDENTIAL_PREFIX)) {
    const message = 'Offer both values of websocket_protocols as subprotocols, in the returned order.';
    throw new ApiError('invalid_session_credential', { message });
  }
  return { sessionId, credential };
}

/** Consumes the credential of an offer. Of any number of handshakes with one credential, one comes through. */
export async function accept(parts: HandshakeParts, offer: Offer, requestId: string): Promise<Handshake> {
  const { sessionId, credential } = offer;
  const owner = parts.owner();
  if (owner === undefined) throw new ApiError('service_unavailable', { message: 'This gateway is starting.' });
  const tenant = credentialTenant(parts.secrets, credential, sessionId);
  if (tenant === undefined) throw new ApiError('invalid_session_credential');
  const attempt: Attempt = { tenant, sessionId, owner, requestId };
  parts.claims.take(sessionId);
  let connected: Connected;
  try {
    await parts.ledger.gateways.own(owner, { tenant, sessionId });
    connected = await connect(parts, attempt, credential);
    // The lease was lost meanwhile: who failed the streams of this process does not come back for one more.
    if (connected.outcome === 'ok' && parts.owner() !== owner) throw new ApiError('service_unavailable');
  } catch (error) {
    void rollBack(parts, attempt);
    throw error;
  }
  if (connected.outcome === 'ok') return { ...attempt, ...connected };
  releaseClaim(parts, attempt);
  // An emptied Redis refuses every credential.
  await parts.ledgerWatch.verify();
  throw new ApiError(connected.outcome === 'inactive' ? 'account_inactive' : 'invalid_session_credential');
}

/** Takes back a connect that is not answered with 101, so that its credential works again. */
export async function rollBack(parts: HandshakeParts, attempt: Attempt): Promise<void> {
  const { tenant, sessionId, requestId } = attempt;
  await parts.settlements.rollBack({ tenant, sessionId }, requestId);
  // Until now the note stayed: had this process ended before, others would fail what it may have connected.
  releaseClaim(parts, attempt);
}

function releaseClaim({ claims, ledger }: HandshakeParts, { tenant, sessionId, owner }: Attempt): void {
  // Not waited for: the note of a session that is not ours does no harm.
  if (claims.release(sessionId)) ledger.gateways.disown(owner, { tenant, sessionId }).catch(() => undefined);
}

/** Asks again when the answer is lost. */
async function connect({ ledger }: HandshakeParts, attempt: Attempt, credential: string): Promise<Connected> {
  const { requestId: connectionId, ...of } = attempt;
  const request = { ...of, connectionId, credentialHash: credentialHash(credential) };
  for (let tries = 1; ; tries++) {
    try {
      return await ledger.sessions.connect(request);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || tries === CONNECT_TRIES) throw error;
    }
  }
}

/** Refuses a handshake with the same body as any other error. */
export function refuse(socket: Duplex, error: unknown, requestId: string): { code: string; status: number } {
  const answer = error instanceof ApiError ? error : new ApiError('service_unavailable');
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
