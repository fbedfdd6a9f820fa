import { isTemporary } from '@svc-asr/kubernetes';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { NotLeading } from '../kubernetes/gate.ts';
import { LedgerMissing } from '../ledger/guard.ts';
import { rootCauseOf } from './phase-failed.ts';

/** Dependencies of reconciliations that may be unavailable for a while. */
export type Dependency = 'Redis' | 'the ledger' | 'the Kubernetes API' | 'the lead';

/** Returns the dependency whose unavailability caused an error. Undefined if the error has another cause. */
export function findUnavailable(error: unknown): Dependency | undefined {
  const cause = rootCauseOf(error);
  // NotLeading and LedgerMissing extend LedgerUnavailable, so they are checked before LedgerUnavailable.
  if (cause instanceof NotLeading) return 'the lead';
  if (cause instanceof LedgerMissing) return 'the ledger';
  if (cause instanceof LedgerUnavailable) return 'Redis';
  return isTemporary(cause) ? 'the Kubernetes API' : undefined;
}
