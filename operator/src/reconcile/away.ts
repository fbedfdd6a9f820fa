import { LedgerUnavailable } from '@svc-asr/ledger';
import { LedgerMissing } from '../ledger/guard.ts';
import { NotLeading } from '../kubernetes/gate.ts';
import { isPassing } from '@svc-asr/kubernetes';
import { PhaseFailed } from './phases.ts';

/** What everything needs and may be away for a while. */
export type Away = 'Redis' | 'the ledger' | 'the Kubernetes API' | 'the lead';

/** What was away when something failed; undefined: the failure has another reason. */
export function awayOf(error: unknown): Away | undefined {
  const cause = error instanceof PhaseFailed ? error.cause : error;
  // Both are kinds of a ledger that cannot be had, for whoever need not know more.
  if (cause instanceof NotLeading) return 'the lead';
  if (cause instanceof LedgerMissing) return 'the ledger';
  if (cause instanceof LedgerUnavailable) return 'Redis';
  return isPassing(cause) ? 'the Kubernetes API' : undefined;
}
