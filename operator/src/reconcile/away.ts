import { LedgerUnavailable } from '@svc-asr/ledger';
import { LedgerMissing } from '../ledger/guard.ts';
import { NotLeading } from '../kubernetes/gate.ts';
import { isPassing } from '../kubernetes/retry.ts';
import { PhaseFailed } from './phases.ts';

/** What everything needs and may be away for a while. */
export type Away = 'Redis' | 'the ledger' | 'the Kubernetes API' | 'the lead';

/** What was away when something failed; undefined: the failure has another reason. */
export function awayOf(error: unknown): Away | undefined {
  const cause = error instanceof PhaseFailed ? error.cause : error;
  // Before the ledger, of whose absence it is a kind.
  if (cause instanceof NotLeading) return 'the lead';
  if (cause instanceof LedgerUnavailable) return 'Redis';
  // Both of these count as Redis that does not answer, for whoever need not know more.
  if (cause instanceof LedgerMissing) return 'the ledger';
  return isPassing(cause) ? 'the Kubernetes API' : undefined;
}
