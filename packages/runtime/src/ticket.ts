import { equalTexts, sign } from './keyring.ts';
import type { Keyring } from './keyring.ts';

/**
 * Ticket with which a gateway opens a stream on a worker. It proves that a gateway of this installation assigned the
 * stream. The worker verifies it without Redis, so streams continue while Redis is unavailable.
 */
export interface Ticket {
  readonly session: string;
  /** The only worker that accepts the ticket. */
  readonly worker: string;
  /** Increases with each connection of a session, so that a ticket works once. */
  readonly epoch: number;
  /** Expiry in milliseconds. */
  readonly expMs: number;
}

const VERSION = 1;
/** Maximum length of a ticket. A longer text is refused without parsing. */
const MAX_CHARACTERS = 2048;

/** Creates a ticket under the current secret of the keyring. */
export function signTicket(ring: Keyring, { session, worker, epoch, expMs }: Ticket): string {
  const payload = { v: VERSION, kid: ring.current, session, worker, epoch, exp: expMs };
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const signature = sign(ring, ring.current, body, 'base64url');
  if (signature === undefined) throw new Error('the keyring does not contain its current secret');
  return `${body}.${signature}`;
}

/**
 * Returns the content of a ticket. Undefined unless a secret of the keyring signed it for this worker and it has not
 * expired.
 */
export function verifyTicket(
  ring: Keyring,
  ticket: string,
  { worker, nowMs }: { worker: string; nowMs: number },
): Ticket | undefined {
  const [body = '', signature = '', ...rest] = ticket.length > MAX_CHARACTERS ? [] : ticket.split('.');
  const payload = rest.length === 0 ? parse(body) : undefined;
  if (payload === undefined) return undefined;
  const expected = sign(ring, payload.kid, body, 'base64url');
  if (expected === undefined || !equalTexts(expected, signature)) return undefined;
  return payload.worker === worker && nowMs < payload.expMs ? payload : undefined;
}

function parse(body: string): (Ticket & { kid: string }) | undefined {
  try {
    const value = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown> | null;
    const { v, kid, session, worker, epoch, exp } = value ?? {};
    const texts = typeof kid === 'string' && typeof session === 'string' && typeof worker === 'string';
    if (v !== VERSION || !texts || typeof epoch !== 'number' || typeof exp !== 'number') return undefined;
    return { kid, session, worker, epoch, expMs: exp };
  } catch {
    return undefined;
  }
}
