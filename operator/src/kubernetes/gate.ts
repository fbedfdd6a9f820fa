import { LedgerUnavailable } from '@svc-asr/ledger';

/**
 * Refuses a write: this process does not lead, or cannot be sure that it still does. To whoever writes to the ledger it
 * is one more reason why the ledger cannot be had just now.
 */
export class NotLeading extends LedgerUnavailable {
  constructor() {
    super('this operator does not lead: it writes nothing');
  }
}

/** Whether this process may write. */
export interface Gate {
  /** Asks the clock too: a process that was stopped for long enough does not lead, even before any timer says so. */
  isOpen: () => boolean;
  /** Aborts when the gate closes; each time that it opens there is a new one. */
  signal: () => AbortSignal;
}

/** Throws where the gate is closed. */
export function passGate(gate: Gate | undefined): void {
  if (gate !== undefined && !gate.isOpen()) throw new NotLeading();
}
