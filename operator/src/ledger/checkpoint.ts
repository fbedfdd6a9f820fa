import type { LimitedCorrection } from '@svc-asr/ledger';

/** Consumption of a tenant at a point in time, stored outside of Redis. */
export interface Checkpoint {
  consumedMs: number;
  checkpointAt: string;
  /** Absent if every correction removed the specified credit. */
  limitedCorrections?: readonly LimitedCorrection[];
}
