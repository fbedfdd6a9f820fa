import type { EndReason, SessionState, TenantLimits, TenantPriority, TenantState } from '@svc-asr/core';

/** Credit of a tenant in milliseconds of audio. At any time, available + reserved + consumed = granted. */
export interface Balance {
  grantedMs: number;
  reservedMs: number;
  consumedMs: number;
  availableMs: number;
}

/** Monthly budget of a tenant: credit that expires at the end of a UTC month. Amounts are milliseconds of audio. */
export interface Budget {
  /** Month of the last renewal, as YYYY-MM. */
  month: string;
  /** Amount per month. 0 if the budget was removed. */
  monthlyMs: number;
  /** Part of the month's budget that was not charged. Live sessions may have reserved it. */
  remainingMs: number;
  /** Start of the next month. */
  renewsAtMs: number;
}

/** Budget with the values that restore it in an account that was lost. */
export interface BudgetRecord extends Budget {
  /** Credit that was charged to the budget of the month. */
  usedMs: number;
  /** Credit that budgets of all months have granted, less the unused part that was removed. */
  grantedMs: number;
}

/** Settings of a Tenant resource that the operator applies to the account. */
export interface TenantSettings {
  displayName: string;
  state: TenantState;
  models: readonly string[];
  limits: TenantLimits;
  /** Budget per month in milliseconds of audio. Absent without a budget. */
  monthlyBudgetMs?: number | undefined;
  /** Order in which waiting streams get a slot. By default normal. */
  priority?: TenantPriority | undefined;
}

/** Version of a Tenant resource. */
export interface TenantVersion {
  /** Identifies the resource. A resource that is recreated under the same name has another uid. */
  uid: string;
  /** Increases with each change of the resource. */
  generation: number;
}

/** `Deleted` if the Tenant resource was deleted. The account is kept for the retention time. */
export type AccountState = TenantState | 'Deleted';

/** Negative grant that removed less than specified, because less credit was available. */
export interface LimitedCorrection {
  /** Id of the grant. */
  id: string;
  /** Change of the balance. */
  appliedMs: number;
}

/** Account as the operator and the console read it. */
export interface Account extends Balance {
  tenant: string;
  displayName: string;
  state: AccountState;
  models: string[];
  limits: TenantLimits;
  priority: TenantPriority;
  liveSessions: number;
  limitedCorrections: LimitedCorrection[];
  /** Absent if the tenant never had a budget. */
  budget?: BudgetRecord;
}

/** Session as `recent_sessions` lists it. */
export interface SessionRecord {
  id: string;
  model: string;
  state: SessionState;
  audioMs: number;
  billableMs: number;
  createdAtMs: number;
  completedAtMs: number | null;
}

/** Session as GET /v1/asr/sessions/{id} returns it. */
export interface SessionDetailRecord extends SessionRecord {
  /** Null until it is known. */
  endReason: EndReason | null;
  closeCode: number | null;
}

/** API key as the gateway looks it up. */
export interface KeyRecord {
  tenant: string;
  hash: string;
  pepperId: string;
  expiresAtMs: number | null;
  revoked: boolean;
  /** What the key may do. Undefined if it may do everything. */
  scopes?: readonly string[];
  /** Models that the key may use. Undefined if it may use all models of its tenant. */
  models?: readonly string[];
}

/** State of a rate limit after a request, as the RateLimit headers report it. */
export interface RateState {
  limit: number;
  remaining: number;
  /** Seconds until the full limit is available again. */
  resetS: number;
}

/** Model as gateways serve it. */
export interface CatalogueEntry {
  id: string;
  language: string;
  languageCode: string;
  maxAudioSeconds: number;
  maxWaitSeconds: number;
}

/** One entry of a tenant's journal. */
export interface JournalEntry {
  /** Id of the stream entry: milliseconds of Redis TIME and a counter. */
  id: string;
  type: 'grant' | 'budget' | 'reserve' | 'cancel' | 'settle' | 'fail' | 'expire' | 'restore' | 'checkpoint';
  /** Session id, grant id, month of the budget or restoration id. Empty for a checkpoint. */
  subject: string;
  /** Change in milliseconds; a checkpoint contains the totals instead. */
  granted: number;
  reserved: number;
  consumed: number;
  /** Further facts: model, reason, audio_ms, … */
  detail: string;
}

/** Usage of one model on one day. */
export interface DailyUsage {
  /** YYYY-MM-DD, in UTC. */
  day: string;
  model: string;
  sessions: number;
  audioMs: number;
  billableMs: number;
}

/** Worker as it registers itself. */
export interface NewWorker {
  /** Unique per process. */
  id: string;
  /** Address for gateways: ws:// or wss://. Gateways of the previous version use only this one. */
  address: string;
  /** Addresses of the further I/O threads. Every address serves all slots. */
  furtherAddresses?: readonly string[];
  revision: string;
  /** Number of streams that the worker accepts. It follows the speed of its machine. */
  slots: number;
  /** Slots that the worker measured at its start. By default the same as `slots`. */
  measuredSlots?: number;
  /** Name of the GPU. Absent for a worker without one. */
  device?: string;
  /** Tier of the model that the worker belongs to. Absent if the model has no tiers. */
  tier?: string;
  /** Contexts of the worker's model. Workers of earlier versions do not report them. */
  contexts?: readonly (readonly [left: number, right: number])[];
}

export interface WorkerRecord extends NewWorker {
  active: number;
  draining: boolean;
  leaseUntilMs: number;
}

/** A stream that needs a worker. */
export interface PlaceRequest {
  sessionId: string;
  tenant: string;
  /** Ids of workers that failed this stream. */
  avoid?: readonly string[];
  /**
   * Worker that still serves the stream, but drains or has too many streams. It must be in `avoid`. The stream stays
   * counted there while no other worker has a free slot.
   */
  servedBy?: string;
  /** Id of the gateway that is notified when a queued stream gets a worker. */
  gateway?: string;
  /** Priority of the tenant. By default normal. A stream that lost its worker is served before all new streams. */
  priority?: TenantPriority;
}

/** Worker that a stream was assigned to. */
export type PlacedWorker = Pick<NewWorker, 'id' | 'address' | 'furtherAddresses' | 'revision'>;

export type Placement = { outcome: 'placed'; worker: PlacedWorker } | ({ outcome: 'wait' } & PoolState);

/** State of a pool, which `status` events report to waiting clients. */
export interface PoolState {
  /** Slots of all workers that accept streams. */
  slots: number;
  /** Empty if no further worker is on its way. */
  growth: PoolGrowthState | '';
}

/** What further workers of a pool wait for: `starting` for their own start, `provisioning` for a node. */
export type PoolGrowthState = 'starting' | 'provisioning';

/** How far a pool can grow. */
export interface PoolGrowth {
  /** False if the pool accepts only sessions for which it has free slots now. */
  canGrow: boolean;
  /** Slots of the pool at its maximum size. Undefined if the slots of a worker are unknown. */
  capacity?: number | undefined;
  /** Undefined if no further worker is on its way. */
  growth?: PoolGrowthState | undefined;
  /** Names of the tiers, the preferred one first. Absent if the model has none. */
  tiers?: readonly string[] | undefined;
}

/** Counts of streams on the workers of one revision. */
export interface RevisionTally {
  /** Streams that left a worker of the revision. */
  streams: number;
  /** Streams that left because the worker failed. */
  failures: number;
  /** Counts of delta latencies by bucket. */
  latencies: readonly number[];
}

/** Load and capacity of a pool. */
export interface PoolLoad {
  /** Streams on workers. */
  active: number;
  /** Reserved sessions that may still connect. */
  held: number;
  /** Queued streams. */
  waiting: number;
  /** Sessions that were refused and whose client is expected to retry. */
  refused: number;
  /** Slots of all workers that accept streams. */
  slots: number;
  workers: number;
  readAtMs: number;
}

/** Balances that a rebuild of a missing ledger would restore. */
export interface RebuildPlan {
  /** Id of the ledger that the resources belong to. */
  ledgerId: string;
  tenants: readonly {
    tenant: string;
    /** Sum of the grants of the tenant. */
    grantedMs: number;
    /**
     * Credit consumed at the checkpoint. Undefined without a checkpoint; the tenant then gets all of its grants again.
     */
    consumedMs?: number;
    checkpointAt?: string;
  }[];
}
