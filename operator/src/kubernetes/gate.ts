import { LedgerUnavailable } from '@svc-asr/ledger';

/**
 * Thrown by a write to the API server, and by any command of the ledger, unless this process is certainly the leader.
 * Callers of the ledger handle this error as if the ledger were unavailable.
 */
export class NotLeading extends LedgerUnavailable {
  constructor() {
    super('this operator is not the leader and writes nothing');
  }
}

/** Decides whether this process may write. */
export interface Gate {
  /**
   * Returns whether this process is the leader now. It reads the clock instead of relying on timers, because the timers
   * of a process that was frozen fire late.
   */
  isOpen: () => boolean;
  /** Returns a signal that aborts when the gate closes. Whenever the gate opens, there is a new signal. */
  signal: () => AbortSignal;
}

/** Throws NotLeading if the gate is closed. */
export function passGate(gate: Gate | undefined): void {
  if (gate !== undefined && !gate.isOpen()) throw new NotLeading();
}
