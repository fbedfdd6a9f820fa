import type { EndReason, SessionState, TenantLimits, TenantPriority, TenantState } from '@svc-asr/core';
import type { StoredOrigin } from './origin.ts';

/** Credit of a tenant in milliseconds of audio. At any time, available + reserved + consumed = granted. */
export interface Balance {
  grantedMs: number;
  reservedMs: number;
  consumedMs: number;
  availableMs: number;
}

/**
 * Monthly budget of a tenant: credit that expires at the end of a UTC month. All amounts are in milliseconds of audio.
 */
export interface Budget {
  /** Month of the last renewal, as YYYY-MM. */
  month: string;
  /** Amount per month. 0 if the budget was removed. */
  monthlyMs: number;
  /** Part of the month's budget that was not charged. Live sessions may have reserved some of it. */
  remainingMs: number;
  /** Start of the next month, in milliseconds since the epoch. */
  renewsAtMs: number;
}

/** Budget with the additional values that restore the budget after the account was lost. */
export interface BudgetRecord extends Budget {
  /** Credit that was charged to the budget in this month. */
  usedMs: number;
  /** Credit that the budgets of all months have granted, minus the unused parts that were removed. */
  grantedMs: number;
}

/** Settings of a Tenant resource that the operator applies to the account. */
export interface TenantSettings {
  displayName: string;
  state: TenantState;
  models: readonly string[];
  limits: TenantLimits;
  /** Budget per month in milliseconds of audio. Absent if the tenant has no budget. */
  monthlyBudgetMs?: number | undefined;
  /** Priority of the tenant's streams when they wait for a slot. Normal if omitted. */
  priority?: TenantPriority | undefined;
}

/** Version of a Tenant resource, by which a late write of an older version is detected. */
export interface TenantVersion {
  /** Id of the resource. A resource that was deleted and recreated under the same name has another uid. */
  uid: string;
  /** Number that increases with each change of the resource. */
  generation: number;
}

/** `Deleted` if the Tenant resource was deleted. The account is kept for the retention time. */
export type AccountState = TenantState | 'Deleted';

/** A negative grant that removed less credit than specified, because less was available. */
export interface LimitedCorrection {
  /** Id of the grant. */
  id: string;
  /** Actual change of the balance. */
  appliedMs: number;
}

/** An account in the form that the operator and the console read. */
export interface Account extends Balance {
  tenant: string;
  displayName: string;
  state: AccountState;
  models: string[];
  limits: TenantLimits;
  priority: TenantPriority;
  liveSessions: number;
  limitedCorrections: LimitedCorrection[];
  /** Budget of the tenant. Absent if the tenant never had one. */
  budget?: BudgetRecord;
}

/** A session in the form that `recent_sessions` lists. */
export interface SessionRecord {
  id: string;
  model: string;
  state: SessionState;
  audioMs: number;
  billableMs: number;
  createdAtMs: number;
  completedAtMs: number | null;
}

/** A session in the form that GET /v1/asr/sessions/{id} returns. */
export interface SessionDetailRecord extends SessionRecord {
  /** Reason for the end. Null if the session has not ended, or if the reason is not known. */
  endReason: EndReason | null;
  closeCode: number | null;
}

/** A session in the form that the console lists. */
export interface ListedSession extends SessionDetailRecord, StoredOrigin {
  /** Reserved credit. Null if an earlier version, which did not record this credit, has ended the session. */
  reservedMs: number | null;
}

/** An API key in the form that the gateway looks up. */
export interface KeyRecord {
  tenant: string;
  hash: string;
  pepperId: string;
  expiresAtMs: number | null;
  revoked: boolean;
  /** Scopes that the key is limited to. Undefined if the key may do everything. */
  scopes?: readonly string[];
  /** Models that the key is limited to. Undefined if the key may use all models of its tenant. */
  models?: readonly string[];
}

/** State of a rate limit after a request, as the RateLimit headers report it. */
export interface RateState {
  limit: number;
  remaining: number;
  /** Seconds until the full limit is available again. */
  resetS: number;
}

/** A model in the form that gateways read from the catalogue. */
export interface CatalogueEntry {
  id: string;
  language: string;
  languageCode: string;
  maxAudioSeconds: number;
  maxWaitSeconds: number;
}

/** One entry of a tenant's journal. */
export interface JournalEntry {
  /** Id of the entry in the Redis stream: milliseconds of the clock of Redis and a counter. */
  id: string;
  type: 'grant' | 'budget' | 'reserve' | 'cancel' | 'settle' | 'fail' | 'expire' | 'restore' | 'checkpoint';
  /** Session id, grant id, month of the budget or restoration id. Empty for a checkpoint. */
  subject: string;
  /** Change in milliseconds. A checkpoint contains the total instead. */
  granted: number;
  reserved: number;
  consumed: number;
  /** Further details, such as model, reason and audio_ms. */
  detail: string;
}

/** One administrative act in the audit log. */
export interface AuditEntry {
  /** Id that starts with the time of the act, so that ids sort by time. */
  id: string;
  /**
   * `admin-token`, `oidc:ISSUER#SUBJECT` for an administrator, or a name that starts with `developer:` for a developer.
   */
  actor: string;
  /** Name of the actor for display. Null if there is none. */
  actorName: string | null;
  /** Kind of the act, such as `tenant.grant`. */
  action: string;
  /** Kind and name of the changed object, such as `tenant/acme`. */
  target: string;
  /** Tenant to which the act refers. Null if there is none, or if the tenant was purged. */
  tenant: string | null;
  requestId: string;
  /** Further details, without secrets and personal data. */
  detail: Readonly<Record<string, unknown>>;
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

/** Usage of one key and model on one day. */
export interface KeyUsage extends DailyUsage {
  /** Id of the API key. Null for sessions of the playground, and for sessions whose key was not recorded. */
  keyId: string | null;
  source: StoredOrigin['source'];
}

/** Balances that a rebuild of a missing ledger would restore. */
export interface RebuildPlan {
  /** Id of the ledger to which the resources belong. */
  ledgerId: string;
  tenants: readonly {
    tenant: string;
    /** Sum of the tenant's grants. */
    grantedMs: number;
    /**
     * Credit consumed at the checkpoint. Undefined if there is no checkpoint. The tenant then gets all of its grants
     * again.
     */
    consumedMs?: number;
    checkpointAt?: string;
  }[];
}
