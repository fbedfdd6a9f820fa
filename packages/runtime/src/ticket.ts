import { sign, verify } from 'node:crypto';
import type { TicketKey, TicketPublicKeys } from './ticket-keys.ts';

/**
 * Content of a ticket, with which a gateway opens a stream on a worker. The ticket proves that a gateway of this
 * installation assigned the stream to the worker. The worker verifies the ticket without Redis, so that streams can be
 * opened while Redis is unavailable.
 */
export interface Ticket {
  readonly session: string;
  readonly model: string;
  /** Id of the only worker that accepts the ticket. */
  readonly worker: string;
  /** Number that increases with each connection of a session, so that a ticket works only once. */
  readonly epoch: number;
  /** Expiry in milliseconds since the epoch. */
  readonly expMs: number;
}

const VERSION = 2;
/** Maximum length of a ticket. A longer text is refused before it is parsed. */
const MAX_CHARACTERS = 2048;

/** Creates the text of a ticket, signed with Ed25519. */
export function signTicket({ id, privateKey }: TicketKey, ticket: Ticket): string {
  const { session, model, worker, epoch, expMs } = ticket;
  const payload = { v: VERSION, kid: id, session, model, worker, epoch, exp: expMs };
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${body}.${sign(null, Buffer.from(body), privateKey).toString('base64url')}`;
}

/**
 * Verifies a ticket and returns its content. Returns undefined if none of the public keys verifies the signature, if
 * the ticket is for another worker or model, or if it has expired.
 */
export function verifyTicket(
  keys: TicketPublicKeys,
  ticket: string,
  { worker, model, nowMs }: { worker: string; model: string; nowMs: number },
): Ticket | undefined {
  const [body = '', signature = '', ...rest] = ticket.length > MAX_CHARACTERS ? [] : ticket.split('.');
  const payload = rest.length === 0 ? parse(body) : undefined;
  const key = payload && keys.get(payload.kid);
  if (payload === undefined || key === undefined) return undefined;
  if (!verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64url'))) return undefined;
  return payload.worker === worker && payload.model === model && nowMs < payload.expMs ? payload : undefined;
}

function parse(body: string): (Ticket & { kid: string }) | undefined {
  try {
    const value = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown> | null;
    const { v, kid, session, model, worker, epoch, exp } = value ?? {};
    if (v !== VERSION || typeof kid !== 'string' || typeof session !== 'string') return undefined;
    if (typeof model !== 'string' || typeof worker !== 'string') return undefined;
    if (typeof epoch !== 'number' || typeof exp !== 'number') return undefined;
    return { kid, session, model, worker, epoch, expMs: exp };
  } catch {
    return undefined;
  }
}
