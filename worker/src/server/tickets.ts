import { verifyTicket } from '@svc-asr/runtime';
import type { Keyring, Ticket } from '@svc-asr/runtime';

/** Lets each ticket of this worker in once. */
export interface TicketGate {
  /** What the ticket of an Authorization header says; undefined when it is wrong, over, or was used. */
  admit: (authorization: string | undefined, nowMs: number) => Ticket | undefined;
  /** Tickets remembered as used. */
  readonly size: number;
}

/**
 * Remembers used tickets until they expire, which is within seconds. A container that is restarted in its pod keeps the worker's
 * id and has forgotten them.
 */
export function createTicketGate(ring: Keyring, worker: string): TicketGate {
  const used = new Map<string, number>();

  function forget(nowMs: number): void {
    for (const [key, expMs] of used) if (expMs <= nowMs) used.delete(key);
  }

  return {
    admit: (authorization, nowMs) => {
      const text = /^Bearer +([\w.-]+)$/i.exec(authorization ?? '')?.[1];
      const ticket = text === undefined ? undefined : verifyTicket(ring, text, { worker, nowMs });
      if (ticket === undefined) return undefined;
      forget(nowMs);
      const key = `${ticket.epoch} ${ticket.session}`;
      if (used.has(key)) return undefined;
      used.set(key, ticket.expMs);
      return ticket;
    },
    get size() {
      return used.size;
    },
  };
}
