import type { Ledger } from '@svc-asr/ledger';
import type { WorkerRuntime } from '../runtime.ts';
import type { PoolView } from './observe.ts';
import type { PoolReport } from './report.ts';
import type { RolloutBudget } from './rollout-budget.ts';
import type { SlotsMemory } from './slots-memory.ts';

/** Parts of the operator that pools use. */
export interface PoolDependencies {
  pools: Pick<Ledger['pools'], 'load' | 'configure' | 'remove'>;
  workers: Pick<Ledger['workers'], 'list' | 'drain' | 'remove'>;
  revisions: Pick<Ledger['revisions'], 'counts' | 'weigh'>;
  runtime: WorkerRuntime;
  slotsMemory: SlotsMemory;
  /** Shared by all pools. */
  rolloutBudget: RolloutBudget;
  report: PoolReport;
  /**
   * `lostMs` is the longest time that a registered worker may be missing from the ledger. `startMs` is the longest time
   * from the start of a worker to its registration.
   */
  limits: { lostMs: number; startMs: number };
  /** Returns how many workers of a host are needed for the load of its guests. 0 if the host has no guests. */
  guestDemand?: (host: string) => number;
  /** Returns the observed state of each guest of a host. */
  guestViews?: (host: string) => PoolView[];
  nowMs: () => number;
}
