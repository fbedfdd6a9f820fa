import { verifyTicket } from '@svc-asr/runtime';
import type { FollowedFile, Ticket, TicketPublicKeys } from '@svc-asr/runtime';
import { createUsedTickets, UsedTickets } from './used-tickets.ts';

/** Admits each valid ticket for a worker once. */
export interface TicketGate {
  /** Returns the content of a ticket. Returns undefined if the ticket is invalid, expired or already used. */
  admit: (text: string, nowMs: number) => Ticket | undefined;
}

/**
 * Creates a gate that stores each used ticket until the ticket expires, a few seconds later. Several gates with the
 * same memory together admit a ticket only once. The memory is lost when a container restarts in its pod, but the
 * worker id stays the same. So a ticket that was used before the restart is admitted a second time if it has not
 * expired.
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
