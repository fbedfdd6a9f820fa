import { verifyTicket } from '@svc-asr/runtime';
import type { FollowedFile, Ticket, TicketPublicKeys } from '@svc-asr/runtime';

/** Admits each ticket for a worker once. */
export interface TicketGate {
  /** Returns the content of a ticket. Undefined if it is invalid, expired or already used. */
  admit: (text: string, nowMs: number) => Ticket | undefined;
  /** Number of used tickets that have not expired. */
  readonly size: number;
}

/**
 * Creates a gate that remembers used tickets until they expire, which is within seconds. A container that restarts in
 * its pod keeps the worker id but loses this memory.
 */
export function createTicketGate(
  keys: Pick<FollowedFile<TicketPublicKeys>, 'current'>,
  { worker, model }: { worker: string; model: string },
): TicketGate {
  const used = new Map<string, number>();

  function forget(nowMs: number): void {
    for (const [key, expMs] of used) if (expMs <= nowMs) used.delete(key);
  }

  return {
    admit: (text, nowMs) => {
      const ticket = verifyTicket(keys.current, text, { worker, model, nowMs });
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
