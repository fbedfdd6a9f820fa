import { equalTexts, sign } from './keyring.ts';
import type { Keyring } from './keyring.ts';

/**
 * What a gateway shows a worker to open a stream: it was placed there by a gateway of this installation. The worker
 * needs no Redis to believe it, so streams go on when Redis is away.
 */
export interface Ticket {
  readonly session: string;
  /** The only worker that takes it. */
  readonly worker: string;
  /** Grows with each connection of a session: a ticket works once. */
  readonly epoch: number;
  /** When it stops working. */
  readonly expMs: number;
}

const VERSION = 1;
/** Far more than a ticket has: what is longer is not worth parsing. */
const MAX_CHARACTERS = 2048;

/** Makes a ticket under the current secret of the ring. */
export function signTicket(ring: Keyring, { session, worker, epoch, expMs }: Ticket): string {
  const payload = { v: VERSION, kid: ring.current, session, worker, epoch, exp: expMs };
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const signature = sign(ring, ring.current, body, 'base64url');
  if (signature === undefined) throw new Error('the current secret of a keyring is in it');
  return `${body}.${signature}`;
}

/** What a ticket says, when a secret of the ring made it for this worker and its time is not over. */
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
