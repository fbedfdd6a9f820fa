import type { BudgetRecord, LimitedCorrection } from '@svc-asr/ledger';

/** Monthly budget of a tenant, as a checkpoint stores it. */
export type BudgetCheckpoint = Pick<BudgetRecord, 'month' | 'remainingMs' | 'usedMs' | 'grantedMs'>;

/** Consumption of a tenant at a point in time, stored outside of Redis. */
export interface Checkpoint {
  consumedMs: number;
  checkpointAt: string;
  /** Absent if every negative grant removed as much credit as it specifies. */
  limitedCorrections?: readonly LimitedCorrection[];
  /** Absent if the tenant never had a budget. */
  budget?: BudgetCheckpoint;
}
