import { sign, verify } from 'node:crypto';
import type { TicketKey, TicketPublicKeys } from './ticket-keys.ts';

/**
 * Ticket with which a gateway opens a stream on a worker. It proves that a gateway of this installation assigned the
 * stream. The worker verifies it without Redis, so streams continue while Redis is unavailable.
 */
export interface Ticket {
  readonly session: string;
  readonly model: string;
  /** The only worker that accepts the ticket. */
  readonly worker: string;
  /** Increases with each connection of a session, so that a ticket works once. */
  readonly epoch: number;
  /** Expiry in milliseconds. */
  readonly expMs: number;
}

const VERSION = 2;
/** Maximum length of a ticket. A longer text is refused without parsing. */
const MAX_CHARACTERS = 2048;

/** Creates a ticket, signed with Ed25519. */
export function signTicket({ id, privateKey }: TicketKey, ticket: Ticket): string {
  const { session, model, worker, epoch, expMs } = ticket;
  const payload = { v: VERSION, kid: id, session, model, worker, epoch, exp: expMs };
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${body}.${sign(null, Buffer.from(body), privateKey).toString('base64url')}`;
}

/**
 * Returns the content of a ticket. Undefined unless the private key of one of these public keys signed it for this
 * worker and model, and it has not expired.
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
