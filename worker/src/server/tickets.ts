import { verifyTicket } from '@svc-asr/runtime';
import type { FollowedFile, Ticket, TicketPublicKeys } from '@svc-asr/runtime';
import { createUsedTickets, UsedTickets } from './used-tickets.ts';

/** Admits each ticket for a worker once. */
export interface TicketGate {
  /** Returns the content of a ticket. Undefined if it is invalid, expired or already used. */
  admit: (text: string, nowMs: number) => Ticket | undefined;
}

/**
 * Creates a gate that remembers used tickets until they expire, which takes seconds. Gates with the same memory admit a
 * ticket only once. This memory is lost if a container restarts in its pod. The worker id then stays the same, so a
 * used ticket is admitted once more until it expires.
 */
export function createTicketGate(
  keys: Pick<FollowedFile<TicketPublicKeys>, 'current'>,
  { worker, model }: { worker: string; model: string },
  used = new UsedTickets(createUsedTickets()),
): TicketGate {
  return {
    admit: (text, nowMs) => {
      const ticket = verifyTicket(keys.current, text, { worker, model, nowMs });
      if (ticket === undefined) return undefined;
      return used.add(`${ticket.epoch} ${ticket.session}`, ticket.expMs, nowMs) ? ticket : undefined;
    },
  };
}
