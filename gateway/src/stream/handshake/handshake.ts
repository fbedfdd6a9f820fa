import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL, streamPath } from '@svc-asr/core';
import type { TenantPriority } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Connected, Ledger, Owner } from '@svc-asr/ledger';
import type { Keyring } from '@svc-asr/runtime';
import type { LedgerWatch } from '../../ledger-watch.ts';
import { readCredential } from '../../sessions/credential.ts';
import type { ReadCredential } from '../../sessions/credential.ts';
import { SESSION_ID } from '../../sessions/session-id.ts';
import type { Attempts } from './attempts.ts';
import type { Claims } from '../settlement/claims.ts';
import type { Settlements } from '../settlement/settlements.ts';

const PATH = new RegExp(`^${streamPath(`(${SESSION_ID})`)}$`);
/** Pattern of a list of tokens (RFC 9110), such as the subprotocols of a handshake. */
const TOKENS = /^[\t ]*[!#$%&'*+.^`|~\w-]+[\t ]*(?:,[\t ]*[!#$%&'*+.^`|~\w-]+[\t ]*)*$/;
const CONNECT_TRIES = 2;
/**
 * Time after the expiry of a credential during which the gateway lets Redis decide whether to refuse the credential.
 * The gateway only estimates the clock of Redis, and the clocks in a Redis Cluster differ. This time covers both
 * errors.
 */
const CLOCK_TOLERANCE_MS = 5000;

export interface Offer {
  sessionId: string;
  credential: string;
}

/**
 * An offer whose credential has a valid MAC. The credential is valid, or expired less than CLOCK_TOLERANCE_MS ago. Only
 * Redis knows whether the credential was already used.
 */
export interface VerifiedOffer extends ReadCredential {
  sessionId: string;
}

export interface HandshakeParts {
  ledger: Ledger;
  settlements: Settlements;
  claims: Claims;
  attempts: Attempts;
  secrets: Keyring;
  ledgerWatch: Pick<LedgerWatch, 'verify'>;
  /** Returns the lease of this gateway. Undefined while the gateway holds no lease. */
  owner: () => Owner | undefined;
}

/** One attempt to connect a session. */
interface Attempt {
  sessionId: string;
  tenant: string;
  owner: Owner;
  /** Id of the handshake request. The ledger also stores it as the id of the connection. */
  requestId: string;
  /**
   * Ends the attempt. Call it once: when the client has its stream, when the rollback is done, or when no rollback is
   * necessary.
   */
  release: () => void;
}

export interface Handshake extends Attempt {
  model: string;
  reservedMs: number;
  priority: TenantPriority;
}

/**
 * Reads session id and credential from an upgrade request, before any lookup. Throws if the request is not a valid
 * handshake.
 */
export function readOffer(request: IncomingMessage): Offer {
  const sessionId = PATH.exec((request.url ?? '').split('?')[0] ?? '')?.[1];
  if (sessionId === undefined) throw new ApiError('not_found');
  const { 'sec-websocket-key': key, 'sec-websocket-version': version, upgrade } = request.headers;
  // The package ws also checks these headers, but only after the credential was consumed.
  const isValid = request.method === 'GET' && upgrade?.toLowerCase() === 'websocket' && version === '13';
  if (!isValid || !/^[+/0-9A-Za-z]{22}==$/.test(String(key))) {
    throw new ApiError('invalid_parameters', { message: 'This is not a WebSocket handshake (RFC 6455, version 13).' });
  }
  const header = request.headers['sec-websocket-protocol'] ?? '';
  // The package ws refuses names that are not tokens of HTTP, but only after the credential was consumed. This function
  // therefore refuses such names itself. trim() is not enough, because it also removes characters that HTTP does not
  // treat as white space.
  const offered = TOKENS.test(header) ? header.split(',').map((name) => name.trim()) : [];
  const [first, credential = ''] = offered;
  if (offered.length !== 2 || first !== STREAM_SUBPROTOCOL || !credential.startsWith(SESSION_CREDENTIAL_PREFIX)) {
    const message = 'Offer both values of websocket_protocols as subprotocols, in the returned order.';
    throw new ApiError('invalid_session_credential', { message });
  }
  return { sessionId, credential };
}

/**
 * Verifies the credential of an offer without Redis. Throws 401 if the credential is wrong, or expired at least
 * CLOCK_TOLERANCE_MS ago.
 */
export function verifyOffer(
  { secrets, ledger }: Pick<HandshakeParts, 'secrets' | 'ledger'>,
  { sessionId, credential }: Offer,
): VerifiedOffer {
  const read = readCredential(secrets, credential, sessionId);
  if (read === undefined || ledger.now() >= read.expiresAtMs + CLOCK_TOLERANCE_MS) {
    throw new ApiError('invalid_session_credential');
  }
  return { sessionId, ...read };
}

/** Consumes the credential of an offer. If several handshakes use the same credential, only one of them succeeds. */
export async function accept(parts: HandshakeParts, offer: VerifiedOffer, requestId: string): Promise<Handshake> {
  const { tenant, sessionId } = offer;
  const owner = parts.owner();
  if (owner === undefined) throw unavailable('This gateway is starting.');
  const attempt: Attempt = { tenant, sessionId, owner, requestId, release: parts.attempts.take() };
  parts.claims.take({ tenant, sessionId }, owner);
  let connected: Connected;
  try {
    const owned = await parts.ledger.gateways.own(owner, { tenant, sessionId });
    if (!owned) throw unavailable('This gateway is restarting.');
    connected = await connect(parts, attempt, offer.hash);
    // If the lease was lost in the meantime, other gateways fail the sessions of this process. This process must then
    // not serve the session, so the session is rolled back.
    if (connected.outcome === 'ok' && parts.owner() !== owner) throw new ApiError('service_unavailable');
  } catch (error) {
    void rollBack(parts, attempt);
    throw error;
  }
  if (connected.outcome === 'ok') return { ...attempt, ...connected };
  releaseClaim(parts, attempt);
  attempt.release();
  if (connected.outcome === 'owner_dead') throw unavailable('This gateway is restarting.');
  // The ledger is verified first, because an emptied Redis rejects every credential.
  await parts.ledgerWatch.verify();
  throw new ApiError(connected.outcome === 'inactive' ? 'account_inactive' : 'invalid_session_credential');
}

function unavailable(reason: string): ApiError {
  return new ApiError('service_unavailable', { message: `${reason} Retry after the time in Retry-After.` });
}

/** Disconnects a session whose 101 response was not sent, so that the client can use the credential again. */
export async function rollBack(parts: HandshakeParts, attempt: Attempt): Promise<void> {
  const { tenant, sessionId, requestId } = attempt;
  await parts.settlements.rollBack({ tenant, sessionId }, requestId);
  // The ownership record is removed last. If this process ends before that, other gateways find the record and fail the
  // session.
  releaseClaim(parts, attempt);
  attempt.release();
}

function releaseClaim({ claims, ledger }: HandshakeParts, { tenant, sessionId, owner }: Attempt): void {
  // This is not awaited, because an ownership record of a session that this gateway does not hold is harmless.
  if (claims.release(sessionId)) ledger.gateways.disown(owner, { tenant, sessionId }).catch(() => undefined);
}

/**
 * Connects the session. If Redis is unavailable, repeats the call once, because the answer of Redis may have been lost.
 */
async function connect({ ledger }: HandshakeParts, attempt: Attempt, credentialHash: string): Promise<Connected> {
  const { requestId: connectionId, tenant, sessionId, owner } = attempt;
  const request = { tenant, sessionId, owner, connectionId, credentialHash };
  for (let tries = 1; ; tries++) {
    try {
      return await ledger.sessions.connect(request);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || tries === CONNECT_TRIES) throw error;
    }
  }
}

/**
 * Sends a refusal with the same body as any other error, and closes the connection. Returns code and status for the
 * log.
 */
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
  // Without this call, a client that does not close its side would keep the connection open.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${answer.status} ${answer.code}\r\n${lines.join('')}\r\n${body}`);
  return { code: answer.code, status: answer.status };
}
